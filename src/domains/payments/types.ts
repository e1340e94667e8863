import { sql } from '../../database/sql.ts';
import { builder } from '../../graph/builder.ts';
import { type Link, linkedRows } from '../../graph/linked-rows.ts';
import { ErrorCode, storedColumn } from '../../graph/shared-types.ts';
import type { ErrorCode as ErrorCodeName } from '../../lib/errors.ts';
import type { RefundOutcome } from './modification/refund-payment.ts';
import type {
  FailureCode as Code,
  PaymentStatus as Status,
  TransactionStatus as StatusOfTransaction,
  PaymentSubStatus as SubStatus,
  TransactionType as TypeOfTransaction,
} from './payment/lifecycle.ts';
import type { ModificationResult, PaymentRow, RefundRow, RequiredAction, TransactionRow } from './payment/rows.ts';

type Described<Value extends string> = Readonly<Record<Value, { description: string }>>;

const PaymentStatus = builder.enumType('PaymentStatus', {
  description: 'The status of a payment.',
  values: {
    pending: { description: 'The payment has no final outcome yet. `subStatus` is the reason.' },
    succeeded: { description: 'The amount was captured, in whole or in part.' },
    declined: { description: 'The charge was declined by the processor or blocked by a block rule. Final.' },
    failed: { description: 'The charge failed, expired or was voided. `subStatus` says which. Final.' },
    partially_refunded: { description: 'A part of the captured amount was refunded.' },
    refunded: { description: 'The whole captured amount was refunded. Final.' },
  } as const satisfies Described<Status>,
});

const PaymentSubStatus = builder.enumType('PaymentSubStatus', {
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

const TransactionType = builder.enumType('TransactionType', {
  description: 'The kind of a transaction.',
  values: {
    purchase: { description: 'An authorization and capture in one.' },
    authorization: { description: 'An authorization to be captured later.' },
    capture: { description: 'A capture of an authorization.' },
    void: { description: 'A void of an authorization.' },
    refund: { description: 'A refund of a captured amount.' },
  } as const satisfies Described<TypeOfTransaction>,
});

const TransactionStatus = builder.enumType('TransactionStatus', {
  description: 'The status of a transaction.',
  values: {
    processing: { description: 'The processor was called, and the outcome is not known yet.' },
    requires_action: { description: 'The cardholder has to answer a 3D Secure challenge.' },
    succeeded: { description: 'The processor approved the transaction.' },
    declined: { description: 'The processor declined the charge.' },
    failed: { description: 'The transaction failed, or the processor refused the modification.' },
  } as const satisfies Described<StatusOfTransaction>,
});

const RequiredActionKind = builder.enumType('RequiredActionKind', {
  description: 'The required payer action before a payment can continue.',
  values: { threeds_auth: { description: 'Answer a 3D Secure challenge.' } } as const,
});

const RequiredActionType = builder.enumType('RequiredActionType', {
  description: 'How the payer completes the required action.',
  values: { redirect: { description: 'On a page: redirect the payer to `url`.' } } as const,
});

const RequireActionData = builder.objectRef<RequiredAction>('RequireActionData').implement({
  description: 'The action that the payer has to take before the payment can continue.',
  fields: (t) => ({
    type: t.field({
      type: RequiredActionType,
      description: 'How the payer completes the action.',
      ...storedColumn('type'),
    }),
    url: t.exposeString('url', { description: 'The address of the page on which the payer answers the challenge.' }),
    threedsSessionId: t.exposeID('threedsSessionId', {
      description: 'The identifier of the challenge, prefix `threeds_`.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description:
        'The time at which the challenge expires. A payment whose challenge is not answered by then fails with ' +
        'the substatus `authentication_expired`.',
    }),
  }),
});

const Transaction = builder.prismaObject('Transaction', {
  description: 'One authorization, purchase, capture, void or refund of a payment at a processor.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'The identifier, prefix `txn_`. It is also the idempotency key sent to the processor.',
    }),
    // CHECK constraints limit type, status and failureCode to the enums
    type: t.field({
      type: TransactionType,
      description: 'The kind of the transaction.',
      ...storedColumn('type'),
    }),
    status: t.field({
      type: TransactionStatus,
      description: 'The status of the transaction.',
      ...storedColumn('status'),
    }),
    amount: t.expose('amount', { type: 'Amount', description: 'The amount in minor units of the currency.' }),
    currency: t.expose('currency', { type: 'Currency', description: 'The ISO 4217 code of the currency.' }),
    processorId: t.exposeID('processorId', {
      nullable: true,
      description: 'The identifier of the processor that was called, prefix `proc_`.',
    }),
    processorReference: t.exposeString('processorReference', {
      nullable: true,
      description: "The processor's own reference. Null until the processor has returned one.",
    }),
    failureCode: t.field({
      type: FailureCode,
      nullable: true,
      description: 'The reason for which the transaction failed. Null unless it failed or was declined.',
      ...storedColumn('failureCode'),
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'The time at which the transaction was created.',
    }),
  }),
});

const transactionsOf: Link = {
  name: 'transactions',
  statement: (ids) => sql`
    SELECT t.*, t."paymentId" AS "linkedTo"
    FROM transactions t
    WHERE t."paymentId" = ANY(${[...ids]})
    ORDER BY t."createdAt", t.id`,
};

export const Payment = builder.prismaObject('Payment', {
  description: 'One amount taken from a card, with its state from the first attempt to the last refund.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The identifier, prefix `pay_`.' }),
    storeId: t.exposeID('storeId', { description: 'The identifier of the store, prefix `store_`.' }),
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'The identifier of the processing account, prefix `tpa_`.',
    }),
    customerId: t.exposeID('customerId', { description: 'The identifier of the customer, prefix `cus_`.' }),
    paymentInstrumentId: t.exposeID('paymentInstrumentId', {
      description: 'The identifier of the charged payment instrument, prefix `pi_`.',
    }),
    orderId: t.exposeID('orderId', {
      nullable: true,
      description: 'The identifier of the order that is paid, prefix `ord_`. Null if the payment pays no order.',
    }),
    subscriptionId: t.exposeID('subscriptionId', {
      nullable: true,
      description: 'The identifier of the subscription, prefix `sub_`. Null if the payment belongs to none.',
    }),
    amount: t.expose('amount', { type: 'Amount', description: 'The amount in minor units of the currency.' }),
    currency: t.expose('currency', { type: 'Currency', description: 'The ISO 4217 code of the currency.' }),
    capturedAmount: t.expose('capturedAmount', {
      type: 'AmountOrZero',
      description: 'The captured amount in minor units of the currency; 0 before a capture.',
    }),
    refundedAmount: t.expose('refundedAmount', {
      type: 'AmountOrZero',
      description:
        'The refunded amount in minor units of the currency; 0 before a refund. Pending refunds do not count.',
    }),
    // CHECK constraints limit these columns to the enums
    status: t.field({
      type: PaymentStatus,
      description: 'The status of the payment.',
      ...storedColumn('status'),
    }),
    subStatus: t.field({
      type: PaymentSubStatus,
      nullable: true,
      description: 'The detail of the status. Null for `declined`, `refunded` and `partially_refunded`.',
      ...storedColumn('subStatus'),
    }),
    failureCode: t.field({
      type: FailureCode,
      nullable: true,
      description: 'The reason for which the payment did not succeed. Null if there is none.',
      ...storedColumn('failureCode'),
    }),
    failureMessage: t.exposeString('failureMessage', {
      nullable: true,
      description: 'The reason for which the payment did not succeed, as one sentence. Null if there is none.',
    }),
    requireAction: t.field({
      type: RequiredActionKind,
      nullable: true,
      description: 'The required payer action during a 3D Secure challenge, otherwise null.',
      ...storedColumn('requireAction'),
    }),
    requireActionData: t.field({
      type: RequireActionData,
      nullable: true,
      description: 'The action that the payer has to take. Null unless `requireAction` is set.',
      ...storedColumn('requireActionData'),
    }),
    processorId: t.exposeID('processorId', {
      nullable: true,
      description:
        'The identifier of the processor of the deciding attempt, prefix `proc_`. Null if no processor was called.',
    }),
    paymentFlowId: t.exposeID('paymentFlowId', {
      nullable: true,
      description:
        'The identifier of the payment flow that routed the charge, prefix `flow_`. Null without a flow. The flow ' +
        'may have been deleted since.',
    }),
    metadata: t.expose('metadata', { type: 'Metadata', description: 'Key-value pairs of the merchant.' }),
    livemode: t.boolean({
      description: 'Whether the payment was made in live mode. False in test mode.',
      resolve: ({ mode }) => mode === 'live',
    }),
    transactions: t.field({
      type: [Transaction],
      description: 'The transactions of the payment, the oldest first.',
      // The answers of charges and changes have them.
      resolve: (payment: PaymentRow & { transactions?: TransactionRow[] }, _args, context) =>
        payment.transactions ?? linkedRows<TransactionRow>(context, transactionsOf, payment.id),
    }),
    voidedAt: t.expose('voidedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time at which the authorization was voided. Null unless it was.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The time at which the payment was created.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'The time at which the payment last changed.',
    }),
  }),
});

const RefundStatus = builder.enumType('RefundStatus', {
  description: 'The status of a refund.',
  values: {
    pending: { description: 'The processor was called, and the outcome is not known yet.' },
    succeeded: { description: 'The amount was refunded. The refund can still fail later.' },
    failed: {
      description:
        'The processor refused the refund, or it failed after it had succeeded, for example because the bank of the ' +
        'cardholder returned it. Nothing is refunded, and the amount can be refunded again.',
    },
  } as const,
});

export const Refund = builder.prismaObject('Refund', {
  description: 'A captured amount that is returned, in whole or in part.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The identifier, prefix `ref_`.' }),
    paymentId: t.exposeID('paymentId', { description: 'The identifier of the payment, prefix `pay_`.' }),
    amount: t.expose('amount', { type: 'Amount', description: 'The amount in minor units of the currency.' }),
    currency: t.expose('currency', { type: 'Currency', description: 'The ISO 4217 code of the currency.' }),
    status: t.field({
      type: RefundStatus,
      description: 'The status of the refund.',
      ...storedColumn('status'),
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'The reason given with the request. Null if none was given.',
    }),
    metadata: t.field({
      type: 'Metadata',
      description: 'Key-value pairs of the merchant.',
      resolve: ({ metadata }) => metadata,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The time at which the refund was created.' }),
  }),
});

const RefundError = builder.objectRef<{ code: ErrorCodeName; message: string }>('RefundError').implement({
  description: 'The error for which one of several payments was not refunded.',
  fields: (t) => ({
    code: t.expose('code', {
      type: ErrorCode,
      description: 'The error code that the refund of this payment alone would have returned.',
    }),
    message: t.exposeString('message', { description: 'The error as one sentence.' }),
  }),
});

const RefundOutcomeRef = builder.objectRef<RefundOutcome>('RefundOutcome').implement({
  description: 'The outcome of one of several refunds.',
  fields: (t) => ({
    paymentId: t.exposeID('paymentId', { description: 'The identifier of the payment, as in the request.' }),
    refund: t.field({
      type: Refund,
      nullable: true,
      description: 'The refund. Null if `error` is set.',
      resolve: ({ refund }) => refund,
    }),
    error: t.field({
      type: RefundError,
      nullable: true,
      description: 'The error for which the payment was not refunded. Null if `refund` is set.',
      resolve: ({ error }) => error,
    }),
  }),
});

export const RefundedPayment = builder.objectRef<ModificationResult>('RefundedPayment').implement({
  description: 'The answer of the refund of one payment.',
  fields: (t) => ({
    refund: t.field({ type: Refund, description: 'The refund.', resolve: ({ refund }) => refund as RefundRow }),
    // the Amount scalar accepts the numbers of both kinds of rows
    payment: t.field({ type: Payment, description: 'The payment.', ...storedColumn('payment') }),
    transactions: t.field({
      type: [Transaction],
      description: 'The transactions of the payment, the oldest first.',
      ...storedColumn('transactions'),
    }),
  }),
});

export const Refunds = builder.objectRef<{ results: RefundOutcome[] }>('Refunds').implement({
  description: 'The answer of the refund of several payments.',
  fields: (t) => ({
    results: t.field({
      type: [RefundOutcomeRef],
      description: 'The outcome of each payment of `paymentIds`.',
      resolve: ({ results }) => results,
    }),
  }),
});
