import { asStored } from '../../graph/as-stored.ts';
import { builder } from '../../graph/builder.ts';
import { ErrorCode } from '../../graph/error-code.ts';
import type { ErrorCode as ErrorCodeName } from '../../kit/errors.ts';
import type { ModificationResult, RefundRow } from './payment-rows.ts';
import type { RefundOutcome } from './refund-payment.ts';
import { Payment, Transaction } from './types.ts';

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

export const Refund = builder.objectRef<RefundRow>('Refund').implement({
  description: 'A captured amount that is returned, in whole or in part.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The identifier, prefix `ref_`.' }),
    paymentId: t.exposeID('paymentId', { description: 'The identifier of the payment, prefix `pay_`.' }),
    amount: t.expose('amount', { type: 'Amount', description: 'The amount in minor units of the currency.' }),
    currency: t.expose('currency', { type: 'Currency', description: 'The ISO 4217 code of the currency.' }),
    status: t.field({
      type: RefundStatus,
      description: 'The status of the refund.',
      ...asStored('status'),
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

const RefundedPayment = builder.objectRef<ModificationResult>('RefundedPayment').implement({
  description: 'The answer of the refund of one payment.',
  fields: (t) => ({
    refund: t.field({ type: Refund, description: 'The refund.', resolve: ({ refund }) => refund as RefundRow }),
    // the Amount scalar takes the numbers of both kinds of rows
    payment: t.field({ type: Payment, description: 'The payment.', ...asStored('payment') }),
    transactions: t.field({
      type: [Transaction],
      description: 'The transactions of the payment, the oldest first.',
      ...asStored('transactions'),
    }),
  }),
});

const Refunds = builder.objectRef<{ results: RefundOutcome[] }>('Refunds').implement({
  description: 'The answer of the refund of several payments.',
  fields: (t) => ({
    results: t.field({
      type: [RefundOutcomeRef],
      description: 'The outcome of each payment of `paymentIds`.',
      resolve: ({ results }) => results,
    }),
  }),
});

export const RefundResult = builder.unionType('RefundResult', {
  description: 'The refund with its payment for `paymentId`; the outcomes of all refunds for `paymentIds`.',
  types: [RefundedPayment, Refunds],
  resolveType: (value) => ('results' in value ? 'Refunds' : 'RefundedPayment'),
});
