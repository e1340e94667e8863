import { newId } from '../../../lib/ids.ts';
import type { DeclineCode, Outcome } from '../../../ports/card-processor.ts';
import type { BlockingRule } from '../../block-rules/public.ts';
import {
  type FailureCode,
  type PaymentStatus,
  type PaymentSubStatus,
  paymentState,
  paymentTransitions,
  type TransactionStatus,
} from '../payment/lifecycle.ts';
import type { ChallengeRow, PaymentRow, TransactionRow } from '../payment/rows.ts';

type PaymentEvent =
  | 'payment/succeeded'
  | 'payment/authorized'
  | 'payment/actionRequired'
  | 'payment/rejected'
  | 'payment/failed';

/** The states of a payment and its transaction after an attempt has ended, and the event of the change. */
export interface PaymentOutcome {
  status: PaymentStatus;
  subStatus: PaymentSubStatus | null;
  failureCode: FailureCode | null;
  failureMessage: string | null;
  captured: boolean;
  transactionStatus: TransactionStatus;
  event: PaymentEvent;
}

/**
 * How an attempt can end: with an outcome of the processor, without a processor to ask, blocked by a rule, or with a
 * challenge that was not answered in time.
 */
export type AttemptEnd =
  | Outcome
  | { result: 'noProcessor' }
  | { result: 'blocked'; rule: BlockingRule }
  | { result: 'challengeExpired' };

export function paymentOutcomeOf(end: AttemptEnd, type: 'purchase' | 'authorization' = 'purchase'): PaymentOutcome {
  switch (end.result) {
    case 'approved':
      if (type === 'authorization')
        return {
          status: 'pending',
          subStatus: 'authorized',
          failureCode: null,
          failureMessage: null,
          captured: false,
          transactionStatus: 'succeeded',
          event: 'payment/authorized',
        };
      return {
        status: 'succeeded',
        subStatus: 'captured',
        failureCode: null,
        failureMessage: null,
        captured: true,
        transactionStatus: 'succeeded',
        event: 'payment/succeeded',
      };
    case 'challenge':
      return {
        status: 'pending',
        subStatus: 'requires_action',
        failureCode: null,
        failureMessage: null,
        captured: false,
        transactionStatus: 'requires_action',
        event: 'payment/actionRequired',
      };
    case 'declined':
      return declinedOutcome(end.failureCode, end.failureMessage);
    case 'error':
      return failedOutcome('processing_error', 'processing_error', 'The processor could not process the payment.');
    case 'noProcessor':
      return failedOutcome(
        'processing_error',
        'no_processor',
        'No processor can take this payment: connect one that supports its currency.',
      );
    case 'blocked':
      // Only the merchant reads this. A cardholder sees only that the charge was declined.
      return declinedOutcome('blocked_by_rule', blockedMessage(end.rule));
    case 'challengeExpired':
      return failedOutcome('authentication_expired', null, 'The cardholder did not answer the challenge in time.');
  }
}

/**
 * The outcome of a charge whose last attempt has ended. If one processor declined the card and those after it failed to
 * process, the charge is declined. Only if all of them failed is it a processing error (docs/contract/10-payments.md).
 */
export function chargeOutcomeOf(
  end: AttemptEnd,
  type: 'purchase' | 'authorization' | undefined,
  earlier: FailureCode | null,
): PaymentOutcome {
  if (end.result === 'error' && earlier !== null && earlier !== 'processing_error')
    return {
      ...declinedOutcome(
        earlier as DeclineCode,
        'The card was declined, and no other processor could process the payment.',
      ),
      transactionStatus: 'failed',
    }; // an attempt's other codes are a processor's declines
  return paymentOutcomeOf(end, type);
}

function declinedOutcome(failureCode: DeclineCode | 'blocked_by_rule', failureMessage: string): PaymentOutcome {
  return {
    status: 'declined',
    subStatus: null,
    failureCode,
    failureMessage,
    captured: false,
    transactionStatus: 'declined',
    event: 'payment/rejected',
  };
}

function blockedMessage({ id, name, mayBeNamed }: BlockingRule): string {
  return mayBeNamed ? `Blocked by the rule "${name}" (${id}).` : 'Blocked by a block rule.';
}

function failedOutcome(
  subStatus: PaymentSubStatus,
  failureCode: FailureCode | null,
  failureMessage: string,
): PaymentOutcome {
  return {
    status: 'failed',
    subStatus,
    failureCode,
    failureMessage,
    captured: false,
    transactionStatus: 'failed',
    event: 'payment/failed',
  };
}

/** Whether the outcome may follow the state of the payment. An attempt ends only while its payment is pending. */
export function mayFollow(
  from: { status: string; subStatus: string | null },
  to: Pick<PaymentOutcome, 'status' | 'subStatus'>,
): boolean {
  return from.status === 'pending' && Object.values(paymentTransitions[paymentState(from)]).includes(paymentState(to));
}

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
  // A planned charge may allow more time.
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

/**
 * Whether another processor may be called after this end: only if it is certain that this one took no money, and if
 * another could approve.
 */
export function mayTryAnother(end: AttemptEnd): boolean {
  return end.result === 'error' || (end.result === 'declined' && !end.hard);
}
