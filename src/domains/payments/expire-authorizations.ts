import { servedModes } from '../../auth/sandbox.ts';
import { constant, queryRows, sql } from '../../database/sql.ts';
import { newId } from '../../kit/ids.ts';
import type { Services } from '../../services.ts';
import { modifyAtProcessor } from './ask-processor.ts';
import { commitModificationEnd } from './commit-modification-end.ts';
import { commitModificationIntent } from './commit-modification-intent.ts';
import { stateColumns } from './lifecycle.ts';
import { type Modification, modificationIntentOf, requireAllowed } from './modification-intent.ts';
import { authorizationReferenceOf } from './payment-with-transactions.ts';
import { expiryAmount } from './policy.ts';
import { recordedByJob } from './recorded-by-job.ts';

const batchMax = 100;

/**
 * Voids authorizations that were not captured in time, at the processor and in the platform. Those on test clocks
 * expire when their clock is advanced.
 */
export async function expireAuthorizations(services: Services, stopping: AbortSignal = never): Promise<number> {
  const now = services.clock.now();
  const due = await queryRows<{ id: string }>(
    services.pool,
    sql`
      SELECT id
      FROM payments
      WHERE "subStatus" = 'authorized' AND "authorizationExpiresAt" <= ${now} AND "testClockId" IS NULL
        ${servedModes(services.config, sql`mode`)}
      ORDER BY "authorizationExpiresAt"
      LIMIT ${constant(batchMax)}`,
  );
  for (const { id } of due) {
    if (stopping.aborted) break;
    try {
      await expireAuthorization(services, id, now);
    } catch (error) {
      // If the void was started, its unknown outcome is resolved by a job. If not, the next run finds it again.
      services.log.warn({ err: error, paymentId: id }, 'An expired authorization could not be voided yet.');
    }
  }
  return due.length;
}

const never = new AbortController().signal;

/** Voids the expired authorizations on one test clock, at its time. Throws what cannot be voided. */
export async function expireAuthorizationsOf(services: Services, testClockId: string): Promise<number> {
  const now = services.clock.now();
  const due = await queryRows<{ id: string }>(
    services.pool,
    sql`
      SELECT id
      FROM payments
      WHERE "testClockId" = ${testClockId} AND "subStatus" = 'authorized' AND "authorizationExpiresAt" <= ${now}
      ORDER BY "authorizationExpiresAt", id
      LIMIT ${constant(batchMax)}`,
  );
  for (const { id } of due) await expireAuthorization(services, id, now);
  return due.length;
}

async function expireAuthorization(services: Services, paymentId: string, now: Date): Promise<void> {
  const { pool, clock } = services;
  const request: Modification = {
    type: 'void',
    paymentId,
    intend: ({ payment }) => ({ amount: requireAllowed(expiryAmount(payment, now)), payment: stateColumns.processing }),
  };
  const transactionId = newId('txn_', now);
  const reserved = await commitModificationIntent(services, { recordKey: null, tenant: sql`true` }, request, (before) =>
    modificationIntentOf(request, before, transactionId, clock),
  );
  if (!reserved) return;
  const { transaction, state } = reserved;
  const outcome = await modifyAtProcessor(services, transaction, authorizationReferenceOf(state));
  const by = recordedByJob(services, 'expire-authorizations');
  await commitModificationEnd(pool, by, paymentId, transactionId, outcome);
}
