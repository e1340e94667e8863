import { builder } from '../../graph/builder.ts';
import type {
  FailureCode as Code,
  PaymentStatus as Status,
  TransactionStatus as StatusOfTransaction,
  PaymentSubStatus as SubStatus,
  TransactionType as TypeOfTransaction,
} from './lifecycle.ts';

type Described<Value extends string> = Readonly<Record<Value, { description: string }>>;

export const PaymentStatus = builder.enumType('PaymentStatus', {
  description: 'The status of a payment.',
  values: {
    pending: { description: 'The payment has no final outcome yet. `subStatus` says what it waits for.' },
    succeeded: { description: 'The amount was captured, in whole or in part.' },
    declined: { description: 'The charge was declined by the processor or blocked by a block rule. Final.' },
    failed: { description: 'The charge failed, expired or was voided. `subStatus` says which. Final.' },
    partially_refunded: { description: 'A part of the captured amount was refunded.' },
    refunded: { description: 'The whole captured amount was refunded. Final.' },
  } as const satisfies Described<Status>,
});

export const PaymentSubStatus = builder.enumType('PaymentSubStatus', {
  description: 'The detail of a payment status. Null for `declined`, `refunded` and `partially_refunded`.',
  values: {
    captured: { description: 'Of `succeeded`: the amount was captured.' },
    authorized: { description: 'Of `pending`: the amount is authorized and can be captured or voided.' },
    requires_action: { description: 'Of `pending`: the cardholder has to answer a 3D Secure challenge.' },
    processing: { description: 'Of `pending`: a charge, capture or void is in flight, or its outcome is unknown.' },
    voided: { description: 'Of `failed`: the authorization was voided.' },
    expired: { description: 'Of `failed`: the authorization expired before it was captured.' },
    authentication_expired: { description: 'Of `failed`: the challenge expired before it was answered.' },
    processing_error: { description: 'Of `failed`: no processor could process the charge.' },
  } as const satisfies Described<SubStatus>,
});

export const FailureCode = builder.enumType('FailureCode', {
  description: 'The reason for which a charge or modification did not succeed.',
  values: {
    card_declined: { description: 'The issuer declined the card without a more specific reason.' },
    insufficient_funds: { description: 'The card has insufficient funds.' },
    lost_card: { description: 'The card is reported lost.' },
    expired_card: { description: 'The card has expired.' },
    incorrect_cvc: { description: 'The CVC is incorrect.' },
    processing_error: { description: 'The processor could not process the request.' },
    authentication_failed: { description: 'The cardholder failed the 3D Secure challenge.' },
    blocked_by_rule: { description: 'A block rule matched the charge. No processor was called.' },
    no_processor: { description: 'No usable processor supports the charge. No processor was called.' },
  } as const satisfies Described<Code>,
});

export const TransactionType = builder.enumType('TransactionType', {
  description: 'The kind of a transaction.',
  values: {
    purchase: { description: 'An authorization and capture in one.' },
    authorization: { description: 'An authorization to be captured later.' },
    capture: { description: 'A capture of an authorization.' },
    void: { description: 'A void of an authorization.' },
    refund: { description: 'A refund of a captured amount.' },
  } as const satisfies Described<TypeOfTransaction>,
});

export const TransactionStatus = builder.enumType('TransactionStatus', {
  description: 'The status of a transaction.',
  values: {
    processing: { description: 'The processor was called, and the outcome is not known yet.' },
    requires_action: { description: 'The cardholder has to answer a 3D Secure challenge.' },
    succeeded: { description: 'The processor approved the transaction.' },
    declined: { description: 'The processor declined the charge.' },
    failed: { description: 'The transaction failed, or the processor refused the modification.' },
  } as const satisfies Described<StatusOfTransaction>,
});

export const RequiredActionKind = builder.enumType('RequiredActionKind', {
  description: 'What the payer has to do before a payment can continue.',
  values: { threeds_auth: { description: 'Answer a 3D Secure challenge.' } } as const,
});

export const RequiredActionType = builder.enumType('RequiredActionType', {
  description: 'How the payer takes the required action.',
  values: { redirect: { description: 'On a page: redirect the payer to `url`.' } } as const,
});
