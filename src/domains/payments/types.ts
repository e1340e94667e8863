import { asStored } from '../../graph/as-stored.ts';
import { builder } from '../../graph/builder.ts';
import { Customer } from '../customers/public.ts';
import {
  FailureCode,
  PaymentStatus,
  PaymentSubStatus,
  RequiredActionKind,
  RequiredActionType,
  TransactionStatus,
  TransactionType,
} from './enums.ts';
import type { PaymentWithTransactions, RequiredAction } from './payment-rows.ts';

const RequireActionData = builder.objectRef<RequiredAction>('RequireActionData').implement({
  description: 'The action that the payer has to take before the payment can continue.',
  fields: (t) => ({
    type: t.field({
      type: RequiredActionType,
      description: 'How the payer takes the action.',
      ...asStored('type'),
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

export const Transaction = builder.prismaObject('Transaction', {
  description: 'One authorization, purchase, capture, void or refund of a payment at a processor.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'The identifier, prefix `txn_`. It is also the idempotency key sent to the processor.',
    }),
    // CHECK constraints limit type, status and failureCode to the enums
    type: t.field({
      type: TransactionType,
      description: 'The kind of the transaction.',
      ...asStored('type'),
    }),
    status: t.field({
      type: TransactionStatus,
      description: 'The status of the transaction.',
      ...asStored('status'),
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
      ...asStored('failureCode'),
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'The time at which the transaction was created.',
    }),
  }),
});

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
      ...asStored('status'),
    }),
    subStatus: t.field({
      type: PaymentSubStatus,
      nullable: true,
      description: 'The detail of the status. Null for `declined`, `refunded` and `partially_refunded`.',
      ...asStored('subStatus'),
    }),
    failureCode: t.field({
      type: FailureCode,
      nullable: true,
      description: 'The reason for which the payment did not succeed. Null if there is none.',
      ...asStored('failureCode'),
    }),
    failureMessage: t.exposeString('failureMessage', {
      nullable: true,
      description: 'The reason for which the payment did not succeed, as one sentence. Null if there is none.',
    }),
    requireAction: t.field({
      type: RequiredActionKind,
      nullable: true,
      description: 'What the payer has to do while a 3D Secure challenge waits for its answer, otherwise null.',
      ...asStored('requireAction'),
    }),
    requireActionData: t.field({
      type: RequireActionData,
      nullable: true,
      description: 'The action that the payer has to take. Null unless `requireAction` is set.',
      ...asStored('requireActionData'),
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
    customer: t.relation('customer', { type: Customer, description: 'The customer.' }),
    transactions: t.relation('transactions', {
      description: 'The transactions of the payment, the oldest first.',
      query: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] },
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

export const PaymentResult = builder.objectRef<PaymentWithTransactions>('PaymentResult').implement({
  description: 'A payment with its transactions.',
  fields: (t) => ({
    // the Amount scalar takes the numbers of both kinds of rows
    payment: t.field({
      type: Payment,
      description: 'The payment.',
      ...asStored('payment'),
    }),
    transactions: t.field({
      type: [Transaction],
      description: 'The transactions of the payment, the oldest first.',
      ...asStored('transactions'),
    }),
  }),
});
