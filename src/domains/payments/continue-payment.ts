import { throughOutage } from '../../database/through-outage.ts';
import type { KeyContext } from '../../graph/context.ts';
import { awaitStoredCall, findStoredCall, type IdempotencyRecordKey } from '../../write/idempotency.ts';
import { recordedBy, recordKeyOf } from '../../write/write.ts';
import { atCustomersTime } from '../test-clocks/public.ts';
import { continueAtProcessor, findAtProcessor } from './ask-processor.ts';
import { challengeUrlOf } from './challenge-url.ts';
import { earlierAnswer } from './charge-answer.ts';
import { commitOutcome, type OutcomeDetails } from './commit-charge-outcome.ts';
import { commitContinuation, commitUnchanged, commitUnknown, continuedState, wasAsked } from './commit-continuation.ts';
import { followPayment } from './follow-payment.ts';
import type { AttemptEnd } from './payment-outcome.ts';
import type { PaymentWithTransactions, TransactionRow } from './payment-rows.ts';
import { isChallengeOver } from './policy.ts';
import { endChallenge, resolveChallenge } from './processor-challenge.ts';
import { readPayment } from './read-payment.ts';

/**
 * Continues after a challenge. A payment whose challenge is unanswered, that is final, or that another call continues
 * is returned unchanged. Of several calls at the same time one continues it, since the payment returns to `processing`
 * once.
 */
export function continuePayment(context: KeyContext, paymentId: string): Promise<PaymentWithTransactions> {
  return atCustomersTime(context, { paymentId }, () => resumePayment(context, paymentId));
}

async function resumePayment(context: KeyContext, paymentId: string): Promise<PaymentWithTransactions> {
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
  if (isChallengeOver(found.payment, services.clock.passed())) {
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
  context: KeyContext,
  recordKey: IdempotencyRecordKey | null,
  found: PaymentWithTransactions,
  attempt: TransactionRow,
  authentication: 'succeeded' | 'failed',
  details: OutcomeDetails,
): Promise<PaymentWithTransactions> {
  const { services } = context;
  const { id: paymentId } = found.payment;
  const askedAt = services.clock.real();
  const isContinued = await throughOutage<boolean>({
    run: () => commitContinuation(services.pool, details.by, recordKey, found.payment, attempt, askedAt),
    done: () => wasAsked(services.pool, attempt.id, askedAt),
    begins: true,
  });
  if (!isContinued) {
    const stored = await storedAnswer(context, recordKey);
    return stored ?? unchanged(context, recordKey, await readPayment(context, paymentId));
  }
  const continued = continuedState(found, attempt, askedAt);
  const end = await endOf(context, paymentId, attempt, authentication);
  if (end === 'unknown') {
    await throughOutage({ run: () => commitUnknown(services.pool, continued) });
    // A job may have resolved the outcome in the meantime.
    return (await answerOfJob(context, recordKey)) ?? continued;
  }
  const resolved = await commitOutcome(services, continued, end, details);
  // The subscription of a first charge follows at once, so that the next read of it finds the new state.
  if (resolved?.payment.subscriptionPeriod != null) await followPayment(context, resolved.payment);
  return resolved ?? (await answerOfJob(context, recordKey)) ?? readPayment(context, paymentId);
}

/** The outcome that a job has recorded in the meantime, as it has stored it for this call. */
async function answerOfJob(
  { services }: KeyContext,
  recordKey: IdempotencyRecordKey | null,
): Promise<PaymentWithTransactions | null> {
  return recordKey && earlierAnswer(services, await awaitStoredCall(services.pool, recordKey));
}

/** Asks the processor for the outcome of a challenge that the cardholder answers at the processor. */
async function resumeFromProcessor(
  context: KeyContext,
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

function notKnown(context: KeyContext, { payment }: PaymentWithTransactions, error: unknown): null {
  context.services.log.warn(
    { err: error, paymentId: payment.id, requestId: context.requestId },
    'The outcome of a challenge is unknown.',
  );
  return null;
}

/** The answer of an earlier call with this idempotency key, or null. */
async function storedAnswer(
  context: KeyContext,
  recordKey: IdempotencyRecordKey | null,
): Promise<PaymentWithTransactions | null> {
  const stored = recordKey && (await findStoredCall(context.services.pool, recordKey));
  if (!stored) return null;
  context.replayed = true;
  return earlierAnswer(context.services, stored.answer);
}

/** The payment unchanged. A repeat of the call returns the same, also if the payment has changed in between. */
async function unchanged(
  context: KeyContext,
  recordKey: IdempotencyRecordKey | null,
  state: PaymentWithTransactions,
): Promise<PaymentWithTransactions> {
  if (!recordKey || (await commitUnchanged(context.services.pool, recordKey, state))) return state;
  return (await storedAnswer(context, recordKey)) ?? state;
}

async function endOf(
  context: KeyContext,
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
    context.timings.set('processor', performance.now() - startedAt);
  }
}
