import type { Env } from '../env.ts';
import { newId } from '../kit/ids.ts';
import type { RecordedBy } from '../kit/records.ts';
import type { FollowUpOutcome } from '../ports/card-processor.ts';
import { findFollowUpAtProcessor, followUpAtProcessor } from './ask-processor.ts';
import { authorizationReferenceOf, type FollowUp, intentOf, permitted, transactionOf } from './follow-up.ts';
import { commitFollowUpEnd, commitFollowUpIntent } from './follow-up-statements.ts';
import { stateColumns } from './lifecycle.ts';
import { expiryAmount } from './policy.ts';
import type { PaymentWithTransactions, TransactionRow } from './types.ts';

const batchMax = 100;

/** Settles a capture, void or refund whose outcome is unknown, by asking the processor. */
export async function settleFollowUp(env: Env, state: PaymentWithTransactions, transactionId: string): Promise<void> {
  const outcome = await outcomeOf(env, state, transactionOf(state, transactionId));
  await commitFollowUpEnd(env.pool, systemAt(env, 'settle-payments'), state.payment.id, transactionId, outcome);
}

async function outcomeOf(
  env: Env,
  state: PaymentWithTransactions,
  transaction: TransactionRow,
): Promise<FollowUpOutcome> {
  const found = await findFollowUpAtProcessor(env, transaction, authorizationReferenceOf(state));
  // It never arrived there. Sending it now is safe however late the first one comes: the reference is booked once.
  if (found.result === 'unseen') return followUpAtProcessor(env, transaction, authorizationReferenceOf(state));
  return found;
}

/** Lets go of money that was held and not captured in time, at the processor and here. Holds on test clocks are those clocks' business. */
export async function expireAuthorizations(env: Env, stopping: AbortSignal = never): Promise<number> {
  const now = env.clock.now();
  const text = `SELECT id FROM payments WHERE "subStatus" = 'authorized' AND "authorizationExpiresAt" <= $1 AND "testClockId" IS NULL ORDER BY "authorizationExpiresAt" LIMIT ${batchMax}`;
  const due = await env.pool.query<{ id: string }>({ name: 'authorizations-to-expire', text, values: [now] });
  for (const { id } of due.rows) {
    if (stopping.aborted) break;
    try {
      await expireAuthorization(env, id, now);
    } catch (error) {
      // Begun and not known how it ended: settling finds it. Not begun: the next pass finds it here.
      env.log.warn({ err: error, paymentId: id }, 'an authorization could not be let go of yet');
    }
  }
  return due.rows.length;
}

/** The same for the holds on one test clock, at its time. What cannot be let go of is thrown. */
export async function expireAuthorizationsOf(env: Env, testClockId: string): Promise<number> {
  const now = env.clock.now();
  const text = `SELECT id FROM payments WHERE "testClockId" = $1 AND "subStatus" = 'authorized' AND "authorizationExpiresAt" <= $2 ORDER BY "authorizationExpiresAt", id LIMIT ${batchMax}`;
  const due = await env.pool.query<{ id: string }>({
    name: 'authorizations-to-expire-on-clock',
    text,
    values: [testClockId, now],
  });
  for (const { id } of due.rows) await expireAuthorization(env, id, now);
  return due.rows.length;
}

const never = new AbortController().signal;

async function expireAuthorization(env: Env, paymentId: string, now: Date): Promise<void> {
  const asked: FollowUp = {
    type: 'void',
    paymentId,
    intend: ({ payment }) => ({ amount: permitted(expiryAmount(payment, now)), payment: stateColumns.processing }),
  };
  const transactionId = newId('transaction', now);
  const intent = await commitFollowUpIntent(
    env.pool,
    { scope: null, tenant: () => 'true' },
    paymentId,
    transactionId,
    (before) => intentOf(asked, before, transactionId, env.clock),
  );
  if (!intent) return;
  const outcome = await followUpAtProcessor(
    env,
    transactionOf(intent, transactionId),
    authorizationReferenceOf(intent),
  );
  await commitFollowUpEnd(env.pool, systemAt(env, 'expire-authorizations'), paymentId, transactionId, outcome);
}

function systemAt(env: Env, id: string): RecordedBy {
  const now = env.clock.now();
  return {
    actor: { kind: 'system', id },
    requestId: `job_${id}_${now.getTime()}`,
    ip: null,
    now,
    testClockId: env.clock.testClockId,
  };
}
