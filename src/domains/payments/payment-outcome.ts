import type { DeclineCode, Outcome } from '../../ports/card-processor.ts';
import type { BlockingRule } from '../block-rules/public.ts';
import {
  type FailureCode,
  type PaymentStatus,
  type PaymentSubStatus,
  paymentTransitions,
  stateOf,
  type TransactionStatus,
} from './lifecycle.ts';

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
      // Only the merchant reads this. A cardholder is told only that the charge was declined.
      return declinedOutcome('blocked_by_rule', blockedMessage(end.rule));
    case 'challengeExpired':
      return failedOutcome('authentication_expired', null, 'The cardholder did not answer the challenge in time.');
  }
}

/**
 * The outcome of a charge whose last attempt has ended. If one processor declined the card and those after it failed to
 * process, the card was declined. Only if all of them failed is it a processing error (docs/contract/10-payments.md).
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
  return from.status === 'pending' && Object.values(paymentTransitions[stateOf(from)]).includes(stateOf(to));
}
