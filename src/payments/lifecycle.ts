import type { DeclineCode, Outcome } from '../ports/card-processor.ts';

/** What a payment can be, and what an outcome makes of it (contract 10). Terminal states never change. */
export const paymentStatuses = ['pending', 'succeeded', 'declined', 'failed', 'partially_refunded', 'refunded'] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

export const paymentSubStatuses = ['captured', 'authorized', 'requires_action', 'processing', 'voided', 'expired', 'authentication_expired', 'processing_error'] as const;
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

type PaymentEvent = 'payment/succeeded' | 'payment/actionRequired' | 'payment/rejected' | 'payment/failed';

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

/** How an attempt can end: what the processor said, or that there was none to ask, or that nobody answered the challenge. */
export type AttemptEnd = Outcome | { result: 'noProcessor' } | { result: 'challengeExpired' };

export function settlementOf(end: AttemptEnd): Settlement {
  switch (end.result) {
    case 'approved':
      return { status: 'succeeded', subStatus: 'captured', failureCode: null, failureMessage: null, captured: true, transactionStatus: 'succeeded', event: 'payment/succeeded' };
    case 'challenge':
      return { status: 'pending', subStatus: 'requires_action', failureCode: null, failureMessage: null, captured: false, transactionStatus: 'requires_action', event: 'payment/actionRequired' };
    case 'declined':
      return declined(end.failureCode, end.failureMessage);
    case 'error':
      return failed('processing_error', 'processing_error', 'The processor could not process the payment.');
    case 'noProcessor':
      return failed('processing_error', 'no_processor', 'No processor can take this payment: connect one that supports its currency.');
    case 'challengeExpired':
      return failed('authentication_expired', null, 'The cardholder did not answer the challenge in time.');
  }
}

function declined(failureCode: DeclineCode, failureMessage: string): Settlement {
  return { status: 'declined', subStatus: null, failureCode, failureMessage, captured: false, transactionStatus: 'declined', event: 'payment/rejected' };
}

function failed(subStatus: PaymentSubStatus, failureCode: FailureCode | null, failureMessage: string): Settlement {
  return { status: 'failed', subStatus, failureCode, failureMessage, captured: false, transactionStatus: 'failed', event: 'payment/failed' };
}

/** The states a settlement may start from: an attempt under way, or a challenge nobody answered. */
export function mayFollow(from: { status: string; subStatus: string | null }, to: Settlement): boolean {
  if (from.status !== 'pending') return false;
  if (from.subStatus === 'processing') return to.subStatus !== 'authentication_expired';
  return from.subStatus === 'requires_action' && to.subStatus === 'authentication_expired';
}
