import { Customer } from '../customers/types.ts';
import type {
  Payment as PaymentRecord,
  Refund as RefundRecord,
  ThreeDsSession,
  Transaction as TransactionRecord,
} from '../generated/prisma/client.ts';
import { builder } from '../graph/builder.ts';
import {
  failureCodes,
  paymentStatuses,
  paymentSubStatuses,
  transactionStatuses,
  transactionTypes,
} from './lifecycle.ts';

const PaymentStatus = builder.enumType('PaymentStatus', {
  description: 'Where a payment stands.',
  values: paymentStatuses,
});
const PaymentSubStatus = builder.enumType('PaymentSubStatus', {
  description: 'Where exactly; null when declined, refunded or partially refunded.',
  values: paymentSubStatuses,
});
const FailureCode = builder.enumType('FailureCode', {
  description: 'Why a payment did not succeed.',
  values: failureCodes,
});
const TransactionType = builder.enumType('TransactionType', {
  description: 'What was asked of the processor.',
  values: transactionTypes,
});
const TransactionStatus = builder.enumType('TransactionStatus', {
  description: 'How it went.',
  values: transactionStatuses,
});

/** What the payer has to do, as it is kept on the payment. */
export interface RequiredAction {
  type: string;
  url: string;
  threedsSessionId: string;
  expiresAt: string;
}

const RequireActionData = builder.objectRef<RequiredAction>('RequireActionData').implement({
  description: 'What the payer has to do before the payment can go on.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'Always `redirect`: send the payer to the address.' }),
    url: t.exposeString('url', { description: 'Where the challenge is answered.' }),
    threedsSessionId: t.exposeString('threedsSessionId', { description: 'The challenge, prefix `threeds_`.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Unanswered by then, the payment fails with `authentication_expired`.',
    }),
  }),
});

export const Transaction = builder.prismaObject('Transaction', {
  description: 'One attempt or follow-up of a payment at a processor.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `txn_`; also the idempotency key at the processor.' }),
    type: t.field({
      type: TransactionType,
      description: 'What was asked.',
      resolve: (transaction) => transaction.type as never,
    }), // a CHECK constraint holds the column to the enum
    status: t.field({
      type: TransactionStatus,
      description: 'How it went.',
      resolve: (transaction) => transaction.status as never,
    }), // as above
    amount: t.expose('amount', { type: 'Amount', description: 'Minor units of the currency.' }),
    currency: t.expose('currency', { type: 'Currency', description: 'ISO 4217 code.' }),
    processorId: t.exposeString('processorId', { nullable: true, description: 'The processor asked, prefix `proc_`.' }),
    processorReference: t.exposeString('processorReference', {
      nullable: true,
      description: "The processor's own name for it.",
    }),
    failureCode: t.field({
      type: FailureCode,
      nullable: true,
      description: 'Why it failed.',
      resolve: (transaction) => transaction.failureCode as never,
    }), // a CHECK constraint holds the column to the enum
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was begun.' }),
  }),
});

export const Payment = builder.prismaObject('Payment', {
  description: 'Money taken from a card, from the first attempt to the last refund.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `pay_`.' }),
    storeId: t.exposeString('storeId', { description: 'The store, prefix `store_`.' }),
    platformAccountId: t.exposeString('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    customerId: t.exposeString('customerId', { description: 'Who pays, prefix `cus_`.' }),
    paymentInstrumentId: t.exposeString('paymentInstrumentId', { description: 'With what, prefix `pi_`.' }),
    orderId: t.exposeString('orderId', { nullable: true, description: 'The order it pays, prefix `ord_`.' }),
    subscriptionId: t.exposeString('subscriptionId', {
      nullable: true,
      description: 'The subscription it belongs to, prefix `sub_`.',
    }),
    amount: t.expose('amount', { type: 'Amount', description: 'Minor units of the currency.' }),
    currency: t.expose('currency', { type: 'Currency', description: 'ISO 4217 code.' }),
    capturedAmount: t.expose('capturedAmount', {
      type: 'AmountOrZero',
      description: 'How much was taken, in minor units.',
    }),
    refundedAmount: t.expose('refundedAmount', {
      type: 'AmountOrZero',
      description: 'How much of it was given back, in minor units.',
    }),
    status: t.field({
      type: PaymentStatus,
      description: 'Where it stands.',
      resolve: (payment) => payment.status as never,
    }), // a CHECK constraint holds the column to the enum
    subStatus: t.field({
      type: PaymentSubStatus,
      nullable: true,
      description: 'Where exactly.',
      resolve: (payment) => payment.subStatus as never,
    }), // as above
    failureCode: t.field({
      type: FailureCode,
      nullable: true,
      description: 'Why it did not succeed.',
      resolve: (payment) => payment.failureCode as never,
    }), // as above
    failureMessage: t.exposeString('failureMessage', { nullable: true, description: 'The same in a sentence.' }),
    requireAction: t.exposeString('requireAction', {
      nullable: true,
      description: '`threeds_auth` while a challenge waits to be answered.',
    }),
    requireActionData: t.field({
      type: RequireActionData,
      nullable: true,
      description: 'What the payer has to do.',
      resolve: (payment) => payment.requireActionData as never,
    }), // written as RequiredAction only
    processorId: t.exposeString('processorId', {
      nullable: true,
      description: 'The processor of the deciding attempt, prefix `proc_`.',
    }),
    paymentFlowId: t.exposeString('paymentFlowId', {
      nullable: true,
      description: 'The payment flow that routed it, prefix `flow_`; the flow may be gone since.',
    }),
    metadata: t.expose('metadata', { type: 'Metadata', description: 'Your own notes.' }),
    livemode: t.boolean({ description: 'False in test mode.', resolve: (payment) => payment.mode === 'live' }),
    customer: t.relation('customer', { type: Customer, description: 'Who pays.' }),
    transactions: t.relation('transactions', {
      description: 'Its attempts and follow-ups, the oldest first.',
      query: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] },
    }),
    voidedAt: t.expose('voidedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the money that was held was let go of.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});

/** Amounts come as numbers from our own statements and as big integers from Prisma. */
type Loose<Row> = { [Name in keyof Row]: bigint extends Row[Name] ? number | bigint : Row[Name] };

export type PaymentRow = Loose<PaymentRecord>;
export type TransactionRow = Loose<TransactionRecord>;
export type ChallengeRow = ThreeDsSession;
export type RefundRow = Loose<RefundRecord>;

/** What process, get, continue and their kin answer. */
export interface PaymentWithTransactions {
  payment: PaymentRow;
  transactions: TransactionRow[];
}

export const PaymentResult = builder.objectRef<PaymentWithTransactions>('PaymentResult').implement({
  description: 'A payment and everything that was asked of processors for it.',
  fields: (t) => ({
    payment: t.field({
      type: Payment,
      description: 'The payment.',
      resolve: ({ payment }) => payment as PaymentRecord,
    }), // the Amount scalar takes both kinds of number
    transactions: t.field({
      type: [Transaction],
      description: 'Its attempts and follow-ups, the oldest first.',
      resolve: ({ transactions }) => transactions as TransactionRecord[],
    }), // as above
  }),
});

/** What capture, void and refund leave behind; `refund` only after a refund. */
export interface FollowUpResult extends PaymentWithTransactions {
  refund: RefundRow | null;
}
