import { servedModes } from '../../auth/sandbox.ts';
import { notPutOff, ofOthers, takeDue, takenIsDone } from '../../database/put-off.ts';
import { constant, queryRows, sql } from '../../database/sql.ts';
import { newId } from '../../kit/ids.ts';
import { type Due, type Full, runAtOnce } from '../../runtime/at-once.ts';
import type { Services } from '../../services.ts';
import { modifyAtProcessor } from './ask-processor.ts';
import { commitModificationEnd } from './commit-modification-end.ts';
import { commitModificationIntent } from './commit-modification-intent.ts';
import { stateColumns } from './lifecycle.ts';
import { type Modification, modificationIntentOf, requireAllowed } from './modification-intent.ts';
import type { PaymentOfAccount } from './payment-rows.ts';
import { authorizationReferenceOf } from './payment-with-transactions.ts';
import { expiryAmount } from './policy.ts';
import { recordedByJob } from './recorded-by-job.ts';

const job = 'expire-authorizations';
const batchMax = 100;

/**
 * Voids authorizations that were not captured in time, at the processor and in the platform. One that cannot be voided
 * is tried again later and later. Those on test clocks expire when their clock is advanced.
 */
export function expireAuthorizations(services: Services, stopping: AbortSignal = never): Promise<number> {
  return runAtOnce<Due & PaymentOfAccount>({
    lease: (full) => leaseExpired(services, full),
    async run(payment) {
      await expireAuthorization(services, payment, services.clock.passed());
      await takenIsDone(services.pool, job, payment.id);
    },
    // If the void was started, its unknown outcome is resolved by a job.
    failed: (error, { id: paymentId }) =>
      services.log.warn({ err: error, paymentId }, 'An expired authorization could not be voided yet.'),
    stopping,
  });
}

const never = new AbortController().signal;

function leaseExpired({ pool, clock, config }: Services, full: Full): Promise<(Due & PaymentOfAccount)[]> {
  const [now, passed] = [clock.now(), clock.passed()];
  const due = sql`
    SELECT p.id, p."platformAccountId", p."processorId"
    FROM payments p
    WHERE p."subStatus" = 'authorized' AND p."authorizationExpiresAt" <= ${passed} AND p."testClockId" IS NULL
      AND ${ofOthers(full, sql`p."platformAccountId"`, sql`p."processorId"`)}
      AND ${notPutOff(job, sql`p.id`, now)}
      ${servedModes(config, sql`p.mode`)}
    ORDER BY p."authorizationExpiresAt"
    LIMIT ${constant(batchMax)}`;
  return takeDue(pool, job, due, now);
}

/** Voids the expired authorizations on one test clock, at its time. Throws what cannot be voided. */
export async function expireAuthorizationsOf(services: Services, testClockId: string): Promise<number> {
  const now = services.clock.passed();
  const due = await queryRows<PaymentOfAccount>(
    services.pool,
    sql`
      SELECT id, "platformAccountId"
      FROM payments
      WHERE "testClockId" = ${testClockId} AND "subStatus" = 'authorized' AND "authorizationExpiresAt" <= ${now}
      ORDER BY "authorizationExpiresAt", id
      LIMIT ${constant(batchMax)}`,
  );
  for (const payment of due) await expireAuthorization(services, payment, now);
  return due.length;
}

async function expireAuthorization(services: Services, expired: PaymentOfAccount, now: Date): Promise<void> {
  const { pool, clock } = services;
  const request: Modification = {
    type: 'void',
    paymentId: expired.id,
    intend: ({ payment }) => ({ amount: requireAllowed(expiryAmount(payment, now)), payment: stateColumns.processing }),
  };
  const transactionId = newId('txn_', now);
  const { platformAccountId } = expired;
  const reserved = await commitModificationIntent(
    services,
    { recordKey: null, platformAccountId, tenant: sql`true` },
    request,
    (before) => modificationIntentOf(request, before, transactionId, clock),
  );
  if (!reserved) return;
  const { transaction, state } = reserved;
  const outcome = await modifyAtProcessor(services, transaction, authorizationReferenceOf(state));
  const by = recordedByJob(services, job);
  await commitModificationEnd(pool, by, expired, transactionId, outcome);
}
