import type { Services } from '../../services.ts';
import type { IdempotencyRecordKey } from '../../write/idempotency.ts';
import { continueAtProcessor } from './ask-processor.ts';
import { commitOutcome, type OutcomeDetails } from './commit-charge-outcome.ts';
import { commitContinuation, continuedState } from './commit-continuation.ts';
import type { AttemptEnd } from './payment-outcome.ts';
import type { PaymentWithTransactions } from './payment-rows.ts';

/*
 * Challenges that the cardholder answers at the processor, which therefore knows the answer first. Those of the
 * platform's own page are reported to the processor instead (`continue-payment.ts`).
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
 * Ends a challenge that has expired. One at the processor is closed at the processor first, since a later answer would
 * take money for a payment that has failed; an answer that was faster counts. Returns null if another call has recorded
 * the outcome.
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
