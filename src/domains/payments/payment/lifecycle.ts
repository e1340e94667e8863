/** The states of a payment and their transitions (docs/contract/10-payments.md). Terminal states never change. */
const paymentStatuses = ['pending', 'succeeded', 'declined', 'failed', 'partially_refunded', 'refunded'] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

const paymentSubStatuses = [
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

const transactionTypes = ['purchase', 'authorization', 'capture', 'void', 'refund'] as const;
export type TransactionType = (typeof transactionTypes)[number];
const transactionStatuses = ['processing', 'requires_action', 'succeeded', 'declined', 'failed'] as const;
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

/** Every event that can change the state of a payment. */
export type PaymentTrigger =
  | 'purchaseApproved'
  | 'authorizationApproved'
  | 'challenged'
  | 'declined'
  | 'failed'
  | 'continued'
  | 'challengeExpired'
  | 'modificationStarted'
  | 'captured'
  | 'voided'
  | 'authorizationExpired'
  | 'modificationFailed'
  | 'partlyRefunded'
  | 'fullyRefunded'
  /** A succeeded refund has failed, and another one has not. */
  | 'refundFailed'
  | 'allRefundsFailed';

/** The state of a payment: its sub-status, or its status if that has no sub-statuses. */
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
 * The allowed transitions. A capture or void is in flight in `processing`, like a charge, so that of a concurrent
 * capture and void only one starts. A refund changes the state only when it has succeeded: until then the amount that
 * it reserves limits other refunds.
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
    modificationFailed: 'authorized',
  },
  requires_action: { continued: 'processing', challengeExpired: 'authentication_expired' },
  authorized: { modificationStarted: 'processing' },
  captured: { partlyRefunded: 'partially_refunded', fullyRefunded: 'refunded' },
  partially_refunded: {
    partlyRefunded: 'partially_refunded',
    fullyRefunded: 'refunded',
    refundFailed: 'partially_refunded',
    allRefundsFailed: 'captured',
  },
  refunded: { refundFailed: 'partially_refunded', allRefundsFailed: 'captured' },
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

/** The state of a row: its sub-status, or its status if the sub-status is null. */
export function paymentState(payment: { status: string; subStatus: string | null }): PaymentState {
  // CHECK constraints limit both columns to the lists above
  return (payment.subStatus ?? payment.status) as PaymentState;
}

/** The next state, or undefined if the trigger is not allowed in this one. */
export function nextState(
  from: { status: string; subStatus: string | null },
  trigger: PaymentTrigger,
): PaymentState | undefined {
  return paymentTransitions[paymentState(from)][trigger];
}
