import type { DeclineCode, Outcome } from '../ports/card-processor.ts';

/** What a payment can be, and what an outcome makes of it (contract 10). Terminal states never change. */
export const paymentStatuses = [
  'pending',
  'succeeded',
  'declined',
  'failed',
  'partially_refunded',
  'refunded',
] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

export const paymentSubStatuses = [
  'captured',
  'authorized',
  'requires_action',
  'processing',
  'voided',
  'expired',
  'authentication_expired',
  'processing_error',
] as const;
export type PaymentSubStatus = (typeof paymentSubStatuses)[number];

export const transactionTypes = ['purchase', 'authorization', 'capture', 'void', 'refund'] as const;
export const transactionStatuses = ['processing', 'requires_action', 'succeeded', 'declined', 'failed'] as const;
export type TransactionStatus = (typeof transactionStatuses)[number];

export const failureCodes = [
  'card_declined',
  'insufficient_funds',
  'lost_card',
  'expired_card',
  'incorrect_cvc',
  'processing_error',
  'authentication_failed',
  'blocked_by_rule',
  'no_processor',
] as const;
export type FailureCode = (typeof failureCodes)[number];

/** Everything that can happen to a payment. */
export type PaymentTrigger =
  | 'purchaseApproved'
  | 'authorizationApproved'
  | 'challenged'
  | 'declined'
  | 'failed'
  | 'continued'
  | 'challengeExpired'
  | 'followUpBegun'
  | 'captured'
  | 'voided'
  | 'authorizationExpired'
  | 'followUpFailed'
  | 'partlyRefunded'
  | 'fullyRefunded';

/** A payment's state: its status, and where there are several of that status, which. */
export type PaymentState =
  | 'processing'
  | 'requires_action'
  | 'authorized'
  | 'captured'
  | 'partially_refunded'
  | 'refunded'
  | 'declined'
  | 'voided'
  | 'expired'
  | 'authentication_expired'
  | 'processing_error';

/**
 * What may follow what; nothing else may happen (contract 10). A capture or void is under way in `processing`, like a charge, so
 * that of a capture and a void at once one begins. Refunds leave the state until they have succeeded: what guards them is the
 * amount they reserve.
 */
export const paymentTransitions: Readonly<
  Record<PaymentState, Readonly<Partial<Record<PaymentTrigger, PaymentState>>>>
> = {
  processing: {
    purchaseApproved: 'captured',
    authorizationApproved: 'authorized',
    challenged: 'requires_action',
    declined: 'declined',
    failed: 'processing_error',
    captured: 'captured',
    voided: 'voided',
    authorizationExpired: 'expired',
    followUpFailed: 'authorized',
  },
  requires_action: { continued: 'processing', challengeExpired: 'authentication_expired' },
  authorized: { followUpBegun: 'processing' },
  captured: { partlyRefunded: 'partially_refunded', fullyRefunded: 'refunded' },
  partially_refunded: { partlyRefunded: 'partially_refunded', fullyRefunded: 'refunded' },
  refunded: {},
  declined: {},
  voided: {},
  expired: {},
  authentication_expired: {},
  processing_error: {},
};

/** The two columns of each state. */
export const stateColumns: Readonly<
  Record<PaymentState, { status: PaymentStatus; subStatus: PaymentSubStatus | null }>
> = {
  processing: { status: 'pending', subStatus: 'processing' },
  requires_action: { status: 'pending', subStatus: 'requires_action' },
  authorized: { status: 'pending', subStatus: 'authorized' },
  captured: { status: 'succeeded', subStatus: 'captured' },
  partially_refunded: { status: 'partially_refunded', subStatus: null },
  refunded: { status: 'refunded', subStatus: null },
  declined: { status: 'declined', subStatus: null },
  voided: { status: 'failed', subStatus: 'voided' },
  expired: { status: 'failed', subStatus: 'expired' },
  authentication_expired: { status: 'failed', subStatus: 'authentication_expired' },
  processing_error: { status: 'failed', subStatus: 'processing_error' },
};

/** The state a row is in: the sub-status names it, and where there is none the status does. */
export function stateOf(payment: { status: string; subStatus: string | null }): PaymentState {
  return (payment.subStatus ?? payment.status) as PaymentState; // CHECK constraints hold both columns to the lists above
}

/** Where a trigger leads; undefined when it may not happen there. */
export function nextState(
  from: { status: string; subStatus: string | null },
  trigger: PaymentTrigger,
): PaymentState | undefined {
  return paymentTransitions[stateOf(from)][trigger];
}

type PaymentEvent =
  | 'payment/succeeded'
  | 'payment/authorized'
  | 'payment/actionRequired'
  | 'payment/rejected'
  | 'payment/failed';

/** Where an attempt's end leaves the payment and its transaction, and the one event that tells of it. */
export interface Settlement {
  status: PaymentStatus;
  subStatus: PaymentSubStatus | null;
  failureCode: FailureCode | null;
  failureMessage: string | null;
  captured: boolean;
  transactionStatus: TransactionStatus;
  event: PaymentEvent;
}

/** How an attempt can end: what the processor said, or that there was none to ask, that a rule stood against it, or that nobody answered the challenge. */
export type AttemptEnd =
  | Outcome
  | { result: 'noProcessor' }
  | { result: 'blocked'; ruleId: string; ruleName: string }
  | { result: 'challengeExpired' };

export function settlementOf(end: AttemptEnd, type: 'purchase' | 'authorization' = 'purchase'): Settlement {
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
      return declined(end.failureCode, end.failureMessage);
    case 'error':
      return failed('processing_error', 'processing_error', 'The processor could not process the payment.');
    case 'noProcessor':
      return failed(
        'processing_error',
        'no_processor',
        'No processor can take this payment: connect one that supports its currency.',
      );
    case 'blocked':
      // Only the merchant reads this: the cardholder learns no more than that the charge was declined.
      return declined('blocked_by_rule', `Blocked by the rule "${end.ruleName}" (${end.ruleId}).`);
    case 'challengeExpired':
      return failed('authentication_expired', null, 'The cardholder did not answer the challenge in time.');
  }
}

/**
 * How a charge ends whose last attempt ended so. When a processor declined the card and those after it failed to process, the
 * card was declined: only when every one of them failed is it the processors' failure (contract 10).
 */
export function chargeSettlementOf(
  end: AttemptEnd,
  type: 'purchase' | 'authorization' | undefined,
  earlier: FailureCode | null,
): Settlement {
  if (end.result === 'error' && earlier !== null && earlier !== 'processing_error')
    return {
      ...declined(earlier as DeclineCode, 'The card was declined, and no other processor could process the payment.'),
      transactionStatus: 'failed',
    }; // an attempt's other codes are a processor's declines
  return settlementOf(end, type);
}

function declined(failureCode: DeclineCode | 'blocked_by_rule', failureMessage: string): Settlement {
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

function failed(subStatus: PaymentSubStatus, failureCode: FailureCode | null, failureMessage: string): Settlement {
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

/** Whether a settlement may follow the state it finds. */
export function mayFollow(
  from: { status: string; subStatus: string | null },
  to: Pick<Settlement, 'status' | 'subStatus'>,
): boolean {
  return Object.values(paymentTransitions[stateOf(from)]).includes(stateOf(to));
}
