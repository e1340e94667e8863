import { newId } from '../../kit/ids.ts';
import { type AttemptEnd, type PaymentOutcome, paymentOutcomeOf } from './payment-outcome.ts';
import type { ChallengeRow, PaymentRow, TransactionRow } from './payment-rows.ts';

const challengeLifeMs = 30 * 60_000;
/** How long a processor keeps an authorization that is not captured (docs/contract/10-payments.md). */
const authorizationLifeMs = 7 * 24 * 60 * 60_000;

export function challengeFor(
  payment: PaymentRow,
  attempt: TransactionRow,
  url: string | null,
  now: Date,
): ChallengeRow {
  const { partnerId, platformAccountId, mode, returnUrl } = payment;
  // A charge may be planned with a longer time.
  const expiresAt = new Date(Math.max(now.getTime() + challengeLifeMs, payment.actionExpiresAt?.getTime() ?? 0));
  return {
    id: newId('threeds_', now),
    paymentId: payment.id,
    transactionId: attempt.id,
    partnerId,
    platformAccountId,
    mode,
    status: 'pending',
    returnUrl,
    url,
    expiresAt,
    answeredAt: null,
    createdAt: now,
  };
}

export function paymentAfterOutcome(
  payment: PaymentRow,
  attempt: TransactionRow | undefined,
  paymentOutcome: PaymentOutcome,
  challenge: { row: ChallengeRow; url: string } | null,
  now: Date,
): PaymentRow {
  const { status, subStatus, failureCode, failureMessage } = paymentOutcome;
  return {
    ...payment,
    status,
    subStatus,
    failureCode,
    failureMessage,
    capturedAmount: paymentOutcome.captured ? payment.amount : 0,
    requireAction: challenge ? 'threeds_auth' : null,
    requireActionData: challenge
      ? {
          type: 'redirect',
          url: challenge.url,
          threedsSessionId: challenge.row.id,
          expiresAt: challenge.row.expiresAt.toISOString(),
        }
      : null,
    actionExpiresAt: challenge ? challenge.row.expiresAt : null,
    authorizationExpiresAt:
      paymentOutcome.subStatus === 'authorized' ? new Date(now.getTime() + authorizationLifeMs) : null,
    processorId: attempt?.processorId ?? null,
    cascade: null,
    sequence: payment.sequence + 1,
    updatedAt: now,
  };
}

/** The row of an attempt after it has ended. */
export function transactionAfterOutcome(attempt: TransactionRow, end: AttemptEnd, now: Date): TransactionRow {
  const paymentOutcome = paymentOutcomeOf(end);
  const processorReference = 'processorReference' in end ? end.processorReference : attempt.processorReference;
  return {
    ...attempt,
    status: paymentOutcome.transactionStatus,
    processorReference,
    failureCode: paymentOutcome.failureCode,
    updatedAt: now,
  };
}
