import { builder } from '../graph/builder.ts';
import type { RefundAnswer, RefundOutcome } from './refund-payment.ts';
import { Payment, type RefundRow, Transaction } from './types.ts';

const RefundStatus = builder.enumType('RefundStatus', {
  description: 'How a refund stands.',
  values: {
    pending: { description: 'The processor has been asked, and its answer is not known yet.' },
    succeeded: { description: 'The money was given back.' },
    failed: { description: 'The processor refused; nothing was given back.' },
  } as const,
});

export const Refund = builder.objectRef<RefundRow>('Refund').implement({
  description: 'Captured money given back.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `ref_`.' }),
    paymentId: t.exposeString('paymentId', { description: 'The payment, prefix `pay_`.' }),
    amount: t.expose('amount', { type: 'Amount', description: 'Minor units of the currency.' }),
    currency: t.expose('currency', { type: 'Currency', description: 'ISO 4217 code.' }),
    status: t.field({ type: RefundStatus, description: 'How it stands.', resolve: (refund) => refund.status as never }), // a CHECK constraint holds the column to the enum
    reason: t.exposeString('reason', { nullable: true, description: 'Why, in your own words.' }),
    metadata: t.field({ type: 'Metadata', description: 'Your own notes.', resolve: (refund) => refund.metadata }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was begun.' }),
  }),
});

const RefundError = builder.objectRef<{ code: string; message: string }>('RefundError').implement({
  description: 'Why one of several payments was not refunded.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description: 'The code the refund of this payment alone would have answered with.',
    }),
    message: t.exposeString('message', { description: 'The same in a sentence.' }),
  }),
});

const RefundOutcomeRef = builder.objectRef<RefundOutcome>('RefundOutcome').implement({
  description: 'What became of one of several refunds.',
  fields: (t) => ({
    paymentId: t.exposeString('paymentId', { description: 'The payment, as it was asked for.' }),
    refund: t.field({
      type: Refund,
      nullable: true,
      description: 'The refund, unless it was refused.',
      resolve: ({ refund }) => refund,
    }),
    error: t.field({
      type: RefundError,
      nullable: true,
      description: 'Why it was refused.',
      resolve: ({ error }) => error,
    }),
  }),
});

export const RefundResult = builder.objectRef<RefundAnswer>('RefundResult').implement({
  description:
    'With `paymentId`: the refund, its payment and all that was asked of processors for it. With `paymentIds`: `results` alone.',
  fields: (t) => ({
    refund: t.field({
      type: Refund,
      nullable: true,
      description: 'The refund.',
      resolve: ({ refund }) => refund ?? null,
    }),
    payment: t.field({
      type: Payment,
      nullable: true,
      description: 'The payment.',
      resolve: ({ payment }) => (payment ?? null) as never,
    }), // the Amount scalar takes both kinds of number
    transactions: t.field({
      type: [Transaction],
      nullable: true,
      description: 'Its attempts and follow-ups, the oldest first.',
      resolve: ({ transactions }) => (transactions ?? null) as never,
    }), // as above
    results: t.field({
      type: [RefundOutcomeRef],
      nullable: true,
      description: 'What became of each payment of `paymentIds`.',
      resolve: ({ results }) => results ?? null,
    }),
  }),
});
