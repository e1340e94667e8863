import { AddressInput } from '../graph/address.ts';
import { builder } from '../graph/builder.ts';
import { AmountFilter, DateFilter, TextFilter } from '../graph/list-inputs.ts';
import { cursorArguments, pageComplexity, pageType, sortInput } from '../graph/pages.ts';
import { capturePayment, voidPayment } from './capture-payment.ts';
import { continuePayment } from './continue-payment.ts';
import { listPayments, readPayment } from './operations.ts';
import { processPayment } from './process-payment.ts';
import { refundPayment } from './refund-payment.ts';
import { RefundResult } from './refund-types.ts';
import { Payment, PaymentResult } from './types.ts';
import { paymentStatuses } from './lifecycle.ts';

export { Refund } from './refund-types.ts';

export const PaymentPage = pageType('PaymentPage', Payment, 'payments');
export const PaymentSort = sortInput('PaymentSort', ['createdAt', 'amount', 'status']);
const PaymentStatusFilter = builder.enumType('PaymentStatusFilter', {
  description: 'Where a payment stands.',
  values: paymentStatuses,
});

export const PaymentFilters = builder.inputType('PaymentFilters', {
  description: 'Which payments. All that are given must hold.',
  fields: (t) => ({
    status: t.field({ type: [PaymentStatusFilter], description: 'Any of these statuses.' }),
    currency: t.field({ type: ['Currency'], description: 'Any of these currencies.' }),
    storeId: t.stringList({ description: 'Any of these stores.' }),
    customerId: t.string({ description: 'Of this customer.' }),
    orderId: t.string({ description: 'For this order.' }),
    subscriptionId: t.string({ description: 'Of this subscription.' }),
    processorId: t.stringList({ description: 'Decided at any of these processors.' }),
    createdAt: t.field({ type: DateFilter, description: 'When it was created.' }),
    customerEmail: t.field({ type: TextFilter, description: "The payer's e-mail address at the time." }),
    cardLast4: t.field({ type: TextFilter, description: "The card's last four digits." }),
    amount: t.field({ type: AmountFilter, description: 'The amount in minor units.' }),
  }),
});

const PaymentMode = builder.enumType('PaymentMode', {
  description: 'Whether the money is taken at once.',
  values: {
    purchase: { description: 'Authorize and capture in one.' },
    auth: { description: 'Hold it: to be captured or voided within 7 days.' },
  } as const,
});
const InitiatedBy = builder.enumType('InitiatedBy', {
  description: 'Who started the charge.',
  values: {
    customer: { description: 'The cardholder is there.' },
    merchant: { description: 'A renewal, an instalment: nobody could answer a challenge.' },
  } as const,
});
const ReasonType = builder.enumType('ReasonType', {
  description: 'Why a merchant starts a charge.',
  values: ['recurring', 'unscheduled', 'installment'],
});
const ThreeDs = builder.enumType('ThreeDs', {
  description: 'Whether the cardholder is challenged (3DS).',
  values: {
    automatic: { description: "The card's bank decides." },
    force: { description: 'In any case.' },
    skip: { description: 'Never; the bank may decline for it.' },
  } as const,
});

export const ProcessPaymentInput = builder.inputType('ProcessPaymentInput', {
  description: 'A charge.',
  fields: (t) => ({
    storeId: t.string({
      description:
        'The store, prefix `store_`. Required with a partner key, and with a sub-key whose account has several stores. 403 outside the scope of the key.',
    }),
    paymentInstrumentId: t.string({
      required: true,
      description: 'The card, prefix `pi_`. 409 `invalid_state` when it is inactive.',
    }),
    amount: t.field({
      type: 'Amount',
      required: true,
      description: 'Minor units of the currency, 1 to 99,999,999,999.',
    }),
    currency: t.field({ type: 'Currency', required: true, description: "One of the store's charge currencies." }),
    customerId: t.string({ description: "Who pays; the instrument's customer, and nobody else." }),
    orderId: t.string({
      description:
        'The order it pays, prefix `ord_`, whole: amount and currency must be those of the order (else 400). 409 `invalid_state` when it is paid, or another payment of it is under way.',
    }),
    subscriptionId: t.string({
      description:
        "The subscription it belongs to, prefix `sub_`: one of the payer's, in this store (else 400). It is a charge beside the periods', which are charged by themselves.",
    }),
    mode: t.field({
      type: PaymentMode,
      required: true,
      defaultValue: 'purchase',
      description: 'Whether the money is taken at once or held.',
    }),
    initiatedBy: t.field({
      type: InitiatedBy,
      required: true,
      defaultValue: 'customer',
      description: 'Who started it.',
    }),
    reasonType: t.field({ type: ReasonType, description: 'Only with `initiatedBy: merchant`.' }),
    returnUrl: t.field({ type: 'Url', description: 'Where the payer goes after a challenge; https in live mode.' }),
    threeDs: t.field({
      type: ThreeDs,
      description:
        'Whether the cardholder is challenged. Left out: as the payment flow says, and `automatic` without one.',
    }),
    paymentFlowId: t.string({
      description:
        'The payment flow that routes it, prefix `flow_`; that of the store when left out. Does nothing beside `processorId`.',
    }),
    processorId: t.string({
      description:
        "The one processor to use, prefix `proc_`, whatever a flow says. Left out, and without a flow: the account's oldest usable one.",
    }),
    billingAddress: t.field({ type: AddressInput, description: 'Where the bill goes.' }),
    shippingAddress: t.field({ type: AddressInput, description: 'Where the goods go.' }),
    metadata: t.field({ type: 'Metadata', description: 'Your own notes.' }),
  }),
});

export const CapturePaymentInput = builder.inputType('CapturePaymentInput', {
  description: 'A capture.',
  fields: (t) => ({
    paymentId: t.string({ required: true, description: 'Identifier, prefix `pay_`.' }),
    amount: t.field({
      type: 'Amount',
      description:
        'Minor units, at most what was authorized; all of it when left out. There is one capture: what it leaves is let go of.',
    }),
  }),
});

export const RefundPaymentInput = builder.inputType('RefundPaymentInput', {
  description: 'A refund of one payment (`paymentId`) or of several (`paymentIds`).',
  fields: (t) => ({
    paymentId: t.string({ description: 'Identifier, prefix `pay_`.' }),
    paymentIds: t.stringList({
      description: 'Up to 100 identifiers. Each payment is refunded on its own, and the answer tells how each went.',
    }),
    amount: t.field({
      type: 'Amount',
      description: 'Minor units, at most what is left; all that is left when left out. With `paymentIds`, of each.',
    }),
    reason: t.field({ type: 'ShortText', description: 'Why, in your own words.' }),
    metadata: t.field({ type: 'Metadata', description: 'Your own notes.' }),
    cancelSubscription: t.boolean({
      description:
        'Cancels the subscription the payment belongs to, at once and whether or not the processor gives the money back (default false). Without one it does nothing.',
    }),
    blacklistCustomer: t.boolean({
      description:
        'Adds a permanent block rule against the customer, by identifier and e-mail address (default false).',
    }),
  }),
});

const paymentId = { required: true, description: 'Identifier, prefix `pay_`.' } as const;

builder.queryFields((t) => ({
  payment: t.withAuth({ key: true }).field({
    type: PaymentResult,
    description:
      'One payment with its transactions. 404 `PAYMENT_NOT_FOUND` when it is not within the reach of the key.',
    args: { paymentId: t.arg.string(paymentId) },
    resolve: (_root, args, context) => readPayment(context, args.paymentId),
  }),
  payments: t.withAuth({ key: true }).field({
    type: PaymentPage,
    description:
      "The payments of the key's account, or of all the partner's accounts of its mode, the newest first unless sorted otherwise.",
    args: {
      ...cursorArguments,
      sortBy: t.arg({ type: PaymentSort, description: 'The order.' }),
      filters: t.arg({ type: PaymentFilters, description: 'Which payments.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listPayments(context, args),
  }),
}));

builder.mutationFields((t) => ({
  processPayment: t.withAuth({ key: true }).field({
    type: PaymentResult,
    description:
      'Charges a card. A declined charge is no error: it answers with `status` `declined` and a `failureCode`. When the outcome at the processor is not known yet, the status is `pending`/`processing` until it is. 403 `account_not_active` when the account is not `active`, `partner_not_active` when its partner is suspended or offboarded.',
    args: { input: t.arg({ type: ProcessPaymentInput, required: true, description: 'The charge.' }) },
    resolve: (_root, { input }, context) => processPayment(context, input),
  }),
  continuePayment: t.withAuth({ key: true }).field({
    type: PaymentResult,
    description:
      'Goes on with a payment after its challenge was answered. Before that, and for a payment that is final, it comes back unchanged. A charge that was begun is finished, also when its account was suspended meanwhile.',
    args: { paymentId: t.arg.string(paymentId) },
    resolve: (_root, args, context) => continuePayment(context, args.paymentId),
  }),
  capturePayment: t.withAuth({ key: true }).field({
    type: PaymentResult,
    description:
      'Takes money that an authorization holds. 409 `invalid_state` unless the payment is `pending`/`authorized`. 403 `account_not_active` when the account is not `active`: then the hold is voided, or runs out.',
    args: { input: t.arg({ type: CapturePaymentInput, required: true, description: 'The capture.' }) },
    resolve: (_root, { input }, context) => capturePayment(context, input),
  }),
  voidPayment: t.withAuth({ key: true }).field({
    type: PaymentResult,
    description:
      'Lets go of money that an authorization holds. 409 `invalid_state`, `data.code` `TRANSACTION_NOT_AUTHORIZE`, unless the payment is `pending`/`authorized`. Open to every account, also one that is suspended or closed.',
    args: { paymentId: t.arg.string(paymentId) },
    resolve: (_root, args, context) => voidPayment(context, args.paymentId),
  }),
  refundPayment: t.withAuth({ key: true }).field({
    type: RefundResult,
    description:
      'Gives captured money back, in parts if need be. More than is left: 400; a payment that is not, or no longer, to be refunded: 409 `invalid_state`. What the processor refuses answers with a refund that `failed`. Open to every account, also one that is suspended or closed: what is owed to cardholders is.',
    args: { input: t.arg({ type: RefundPaymentInput, required: true, description: 'The refund.' }) },
    resolve: (_root, { input }, context) => refundPayment(context, input),
  }),
}));
