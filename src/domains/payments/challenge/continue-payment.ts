import type pg from 'pg';
import type { TenantContext } from '../../../call/context.ts';
import { withOutageRetry } from '../../../database/outage-retry.ts';
import { queryRow, sql } from '../../../database/sql.ts';
import { tenantQueue } from '../../../database/tenant-queue.ts';
import type { Services } from '../../../services.ts';
import {
  awaitStoredCall,
  claimPart,
  findStoredCall,
  type IdempotencyRecordKey,
} from '../../../unit-of-work/idempotency.ts';
import type { RecordedBy } from '../../../unit-of-work/records.ts';
import { commitParts } from '../../../unit-of-work/statement.ts';
import { recordedBy, recordKeyOf } from '../../../unit-of-work/write.ts';
import { atCustomersTime } from '../../test-clocks/public.ts';
import { commitUnchanged, commitUnknown, earlierAnswer } from '../charge/answer.ts';
import { commitOutcome, type OutcomeDetails } from '../charge/commit-outcome.ts';
import type { AttemptEnd } from '../charge/outcome.ts';
import { followPayment } from '../payment/follower.ts';
import { isChallengeOver } from '../payment/policy.ts';
import { challengeUrlOf, continueAtProcessor, findAtProcessor } from '../payment/processor.ts';
import { type PaymentRow, type PaymentWithTransactions, readPayment, type TransactionRow } from '../payment/rows.ts';

/**
 * Returns a challenged payment to `processing`, which only one of several concurrent calls can do. The payment is
 * locked before the idempotency key is claimed: a key claimed for a payment that another call continues would never get
 * an answer.
 */
function commitContinuation(
  pool: pg.Pool,
  by: RecordedBy,
  recordKey: IdempotencyRecordKey | null,
  payment: PaymentRow,
  attempt: TransactionRow,
  askedAt: Date,
): Promise<boolean> {
  const parts = [
    sql`found AS (
      SELECT id
      FROM payments
      WHERE id = ${payment.id} AND status = 'pending' AND "subStatus" = 'requires_action'
      FOR NO KEY UPDATE
    )`,
    ...(recordKey ? [sql`claimed AS (${claimPart(recordKey, payment.id, { from: 'found' })})`] : []),
    sql`moved AS (
      UPDATE payments
      SET "subStatus" = 'processing', "requireAction" = NULL, "requireActionData" = NULL, "updatedAt" = ${by.now}
      WHERE id = ${payment.id} AND EXISTS (SELECT 1 FROM ${recordKey ? sql`claimed` : sql`found`})
      RETURNING id
    )`,
    sql`asked AS (
      UPDATE transactions
      SET status = 'processing', "askedAt" = ${askedAt}, "updatedAt" = ${by.now}
      WHERE id = ${attempt.id} AND EXISTS (SELECT 1 FROM moved)
    )`,
  ];
  return tenantQueue(pool).runWaiting(payment.platformAccountId, () =>
    commitParts(pool, parts, 'moved', { brief: true }),
  );
}

/**
 * Whether this call continued the attempt, by the time that it noted. True or null, as `done` of a retried commit
 * requires.
 */
async function wasRequested(pool: pg.Pool, attemptId: string, askedAt: Date): Promise<true | null> {
  const found = await queryRow(
    pool,
    sql`SELECT 1 FROM transactions WHERE id = ${attemptId} AND status = 'processing' AND "askedAt" = ${askedAt}`,
  );
  return found ? true : null;
}

/** The rows after `commitContinuation`. */
function continuedState(
  { payment, transactions }: PaymentWithTransactions,
  attempt: TransactionRow,
  askedAt: Date,
): PaymentWithTransactions {
  return {
    payment: { ...payment, subStatus: 'processing', requireAction: null, requireActionData: null },
    transactions: [...transactions.slice(0, -1), { ...attempt, status: 'processing', askedAt }],
  };
}

/*
 * Challenges that the cardholder answers at the processor, which therefore knows the answer first. The answers on the
 * platform's own page are reported to the processor instead (`continuePayment`).
 */

/** Returns a challenged payment to `processing` and records its outcome. Returns null if another call did. */
export async function resolveChallenge(
  services: Services,
  recordKey: IdempotencyRecordKey | null,
  state: PaymentWithTransactions,
  end: AttemptEnd,
  details: OutcomeDetails,
): Promise<PaymentWithTransactions | null> {
  const attempt = state.transactions.at(-1);
  const askedAt = services.clock.real();
  if (!attempt || !(await commitContinuation(services.pool, details.by, recordKey, state.payment, attempt, askedAt)))
    return null;
  return commitOutcome(services, continuedState(state, attempt, askedAt), end, details);
}

/**
 * Ends a challenge that has expired. One at the processor is first closed there, since a later answer would take money
 * for a payment that has failed; if the cardholder has answered before, that outcome is recorded. Returns null if
 * another call has recorded the outcome.
 */
export async function endChallenge(
  services: Services,
  state: PaymentWithTransactions,
  details: OutcomeDetails,
): Promise<PaymentWithTransactions | null> {
  const attempt = state.transactions.at(-1);
  const session =
    attempt &&
    (await services.prisma.threeDsSession.findFirst({
      where: { paymentId: state.payment.id, transactionId: attempt.id },
      orderBy: { createdAt: 'desc' },
      select: { url: true },
    }));
  if (attempt && session && session.url !== null) {
    const outcome = await continueAtProcessor(services, attempt, 'failed');
    if (outcome.result === 'challenge')
      throw new Error(`The challenge of ${attempt.id} could not be closed at its processor.`);
    if (outcome.result === 'approved') return resolveChallenge(services, null, state, outcome, details);
  }
  return commitOutcome(services, state, { result: 'challengeExpired' }, details);
}

/**
 * Continues after a challenge. A payment whose challenge is unanswered, that is final, or that another call continues
 * is returned unchanged. Of several concurrent calls one continues it, since the payment returns to `processing` once.
 */
export function continuePayment(context: TenantContext, paymentId: string): Promise<PaymentWithTransactions> {
  return atCustomersTime(context, { paymentId }, () => resumePayment(context, paymentId));
}

async function resumePayment(context: TenantContext, paymentId: string): Promise<PaymentWithTransactions> {
  const { services } = context;
  const recordKey = recordKeyOf(context, 'continuePayment');
  const stored = await storedAnswer(context, recordKey);
  if (stored) return stored;
  const found = await readPayment(context, paymentId);
  const attempt = found.transactions.at(-1);
  if (found.payment.subStatus !== 'requires_action' || !attempt) return unchanged(context, recordKey, found);
  const now = services.clock.now();
  const details: OutcomeDetails = {
    by: recordedBy(context, now),
    challengeUrl: challengeUrlOf(services.config),
    answers: recordKey !== null,
  };
  if (isChallengeOver(found.payment, services.clock.earliest())) {
    const expired = await endChallenge(services, found, { ...details, answers: false }).catch((error: unknown) =>
      notKnown(context, found, error),
    );
    return unchanged(context, recordKey, expired ?? (await readPayment(context, paymentId)));
  }
  const session = await services.prisma.threeDsSession.findFirst({ where: { paymentId, transactionId: attempt.id } });
  if (session && session.url !== null) return resumeFromProcessor(context, recordKey, found, attempt, details);
  if (!session || session.status === 'pending') return unchanged(context, recordKey, found);
  return reportAnswer(
    context,
    recordKey,
    found,
    attempt,
    session.status === 'succeeded' ? 'succeeded' : 'failed',
    details,
  );
}

/** Reports the answer of a challenge on the platform's own page to the processor, and records the outcome. */
async function reportAnswer(
  context: TenantContext,
  recordKey: IdempotencyRecordKey | null,
  found: PaymentWithTransactions,
  attempt: TransactionRow,
  authentication: 'succeeded' | 'failed',
  details: OutcomeDetails,
): Promise<PaymentWithTransactions> {
  const { services } = context;
  const { id: paymentId } = found.payment;
  const askedAt = services.clock.real();
  const isContinued = await withOutageRetry<boolean>({
    run: () => commitContinuation(services.pool, details.by, recordKey, found.payment, attempt, askedAt),
    done: () => wasRequested(services.pool, attempt.id, askedAt),
    begins: true,
  });
  if (!isContinued) {
    const stored = await storedAnswer(context, recordKey);
    return stored ?? unchanged(context, recordKey, await readPayment(context, paymentId));
  }
  const continued = continuedState(found, attempt, askedAt);
  const end = await continueAttempt(context, paymentId, attempt, authentication);
  if (end === 'unknown') {
    await withOutageRetry({ run: () => commitUnknown(services.pool, continued) });
    // A job may have resolved the outcome in the meantime.
    return (await answerOfJob(context, recordKey)) ?? continued;
  }
  const resolved = await commitOutcome(services, continued, end, details);
  // The subscription of a first charge follows immediately, so that the next read of it returns the new state.
  if (resolved?.payment.subscriptionPeriod != null) await followPayment(context, resolved.payment);
  return resolved ?? (await answerOfJob(context, recordKey)) ?? readPayment(context, paymentId);
}

/** The outcome that a job has recorded in the meantime, as stored for this call. */
async function answerOfJob(
  { services }: TenantContext,
  recordKey: IdempotencyRecordKey | null,
): Promise<PaymentWithTransactions | null> {
  return recordKey && earlierAnswer(services, await awaitStoredCall(services.pool, recordKey));
}

/** Asks the processor for the outcome of a challenge that the cardholder answers at the processor. */
async function resumeFromProcessor(
  context: TenantContext,
  recordKey: IdempotencyRecordKey | null,
  found: PaymentWithTransactions,
  attempt: TransactionRow,
  details: OutcomeDetails,
): Promise<PaymentWithTransactions> {
  const end = await findAtProcessor(context.services, attempt).catch((error: unknown) =>
    notKnown(context, found, error),
  );
  if (end === null || end.result === 'challenge' || end.result === 'unseen')
    return unchanged(context, recordKey, found);
  return (
    (await resolveChallenge(context.services, recordKey, found, end, details)) ??
    (await storedAnswer(context, recordKey)) ??
    unchanged(context, recordKey, await readPayment(context, found.payment.id))
  );
}

function notKnown(context: TenantContext, { payment }: PaymentWithTransactions, error: unknown): null {
  context.services.log.warn(
    { err: error, paymentId: payment.id, requestId: context.requestId },
    'The outcome of a challenge is unknown.',
  );
  return null;
}

/** The answer of an earlier call with this idempotency key, or null. */
async function storedAnswer(
  context: TenantContext,
  recordKey: IdempotencyRecordKey | null,
): Promise<PaymentWithTransactions | null> {
  const stored = recordKey && (await findStoredCall(context.services.pool, recordKey));
  if (!stored) return null;
  context.answer.replayed = true;
  return earlierAnswer(context.services, stored.answer);
}

/** The payment unchanged. A repeat of the call returns the same, even if the payment has changed in between. */
async function unchanged(
  context: TenantContext,
  recordKey: IdempotencyRecordKey | null,
  state: PaymentWithTransactions,
): Promise<PaymentWithTransactions> {
  if (!recordKey || (await commitUnchanged(context.services.pool, recordKey, state))) return state;
  return (await storedAnswer(context, recordKey)) ?? state;
}

async function continueAttempt(
  context: TenantContext,
  paymentId: string,
  attempt: TransactionRow,
  authentication: 'succeeded' | 'failed',
): Promise<AttemptEnd | 'unknown'> {
  const startedAt = performance.now();
  try {
    return await continueAtProcessor(context.services, attempt, authentication);
  } catch (error) {
    context.services.log.warn(
      { err: error, paymentId, transactionId: attempt.id, requestId: context.requestId },
      'The outcome of a continued charge is unknown.',
    );
    return 'unknown';
  } finally {
    context.answer.timings.set('processor', performance.now() - startedAt);
  }
}
