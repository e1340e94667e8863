import { builder } from '../../graph/builder.ts';
import type { RefundRow } from './payment-rows.ts';
import type { RefundAnswer, RefundOutcome } from './refund-payment.ts';
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
      resolve: ({ status }) => status as never, // a CHECK constraint limits the column to the enum
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

const RefundError = builder.objectRef<{ code: string; message: string }>('RefundError').implement({
  description: 'The error for which one of several payments was not refunded.',
  fields: (t) => ({
    code: t.exposeString('code', {
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

export const RefundResult = builder.objectRef<RefundAnswer>('RefundResult').implement({
  description:
    'The answer of a refund: with `paymentId` the refund, its payment and transactions; with `paymentIds` only ' +
    '`results`.',
  fields: (t) => ({
    refund: t.field({
      type: Refund,
      nullable: true,
      description: 'The refund. Null with `paymentIds`.',
      resolve: ({ refund }) => refund ?? null,
    }),
    // the Amount scalar takes the numbers of both kinds of rows
    payment: t.field({
      type: Payment,
      nullable: true,
      description: 'The payment. Null with `paymentIds`.',
      resolve: ({ payment }) => (payment ?? null) as never,
    }),
    transactions: t.field({
      type: [Transaction],
      nullable: true,
      description: 'The transactions of the payment, the oldest first. Null with `paymentIds`.',
      resolve: ({ transactions }) => (transactions ?? null) as never,
    }),
    results: t.field({
      type: [RefundOutcomeRef],
      nullable: true,
      description: 'The outcome of each payment of `paymentIds`. Null with `paymentId`.',
      resolve: ({ results }) => results ?? null,
    }),
  }),
});
