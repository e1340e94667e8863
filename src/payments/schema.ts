import { AddressInput } from '../graph/address.ts';
import { builder } from '../graph/builder.ts';
import { AmountFilter, DateFilter, TextFilter } from '../graph/list-inputs.ts';
import { cursorArguments, pageComplexity, pageType, sortInput } from '../graph/pages.ts';
import { continuePayment } from './continue-payment.ts';
import { listPayments, readPayment } from './operations.ts';
import { processPayment } from './process-payment.ts';
import { Payment, PaymentResult } from './types.ts';
import { paymentStatuses } from './lifecycle.ts';

export const PaymentPage = pageType('PaymentPage', Payment, 'payments');
export const PaymentSort = sortInput('PaymentSort', ['createdAt', 'amount', 'status']);
const PaymentStatusFilter = builder.enumType('PaymentStatusFilter', { description: 'Where a payment stands.', values: paymentStatuses });

export const PaymentFilters = builder.inputType('PaymentFilters', {
  description: 'Which payments. All that are given must hold.',
  fields: (t) => ({
    status: t.field({ type: [PaymentStatusFilter], description: 'Any of these statuses.' }),
    currency: t.field({ type: ['Currency'], description: 'Any of these currencies.' }),
    storeId: t.stringList({ description: 'Any of these stores.' }),
    customerId: t.string({ description: 'Of this customer.' }),
    processorId: t.stringList({ description: 'Decided at any of these processors.' }),
    createdAt: t.field({ type: DateFilter, description: 'When it was created.' }),
    customerEmail: t.field({ type: TextFilter, description: "The payer's e-mail address at the time." }),
    cardLast4: t.field({ type: TextFilter, description: "The card's last four digits." }),
    amount: t.field({ type: AmountFilter, description: 'The amount in minor units.' }),
  }),
});

const PaymentMode = builder.enumType('PaymentMode', { description: 'Take the money at once.', values: { purchase: { description: 'Authorize and capture in one.' } } as const });
const InitiatedBy = builder.enumType('InitiatedBy', { description: 'Who started the charge.', values: { customer: { description: 'The cardholder is there.' }, merchant: { description: 'A renewal, an instalment: nobody could answer a challenge.' } } as const });
const ReasonType = builder.enumType('ReasonType', { description: 'Why a merchant starts a charge.', values: ['recurring', 'unscheduled', 'installment'] });
const ThreeDs = builder.enumType('ThreeDs', {
  description: 'Whether the cardholder is challenged (3DS).',
  values: { automatic: { description: "The card's bank decides." }, force: { description: 'In any case.' }, skip: { description: 'Never; the bank may decline for it.' } } as const,
});

export const ProcessPaymentInput = builder.inputType('ProcessPaymentInput', {
  description: 'A charge.',
  fields: (t) => ({
    storeId: t.string({ description: 'The store, prefix `store_`. Required with a partner key, and with a sub-key whose account has several stores. 403 outside the scope of the key.' }),
    paymentInstrumentId: t.string({ required: true, description: 'The card, prefix `pi_`. 409 `invalid_state` when it is inactive.' }),
    amount: t.field({ type: 'Amount', required: true, description: 'Minor units of the currency, 1 to 99,999,999,999.' }),
    currency: t.field({ type: 'Currency', required: true, description: "One of the store's charge currencies." }),
    customerId: t.string({ description: "Who pays; the instrument's customer, and nobody else." }),
    mode: t.field({ type: PaymentMode, required: true, defaultValue: 'purchase', description: 'Take the money at once.' }),
    initiatedBy: t.field({ type: InitiatedBy, required: true, defaultValue: 'customer', description: 'Who started it.' }),
    reasonType: t.field({ type: ReasonType, description: 'Only with `initiatedBy: merchant`.' }),
    returnUrl: t.field({ type: 'Url', description: 'Where the payer goes after a challenge; https in live mode.' }),
    threeDs: t.field({ type: ThreeDs, required: true, defaultValue: 'automatic', description: 'Whether the cardholder is challenged.' }),
    processorId: t.string({ description: 'The processor to use, prefix `proc_`; the account\'s first usable one when left out.' }),
    billingAddress: t.field({ type: AddressInput, description: 'Where the bill goes.' }),
    shippingAddress: t.field({ type: AddressInput, description: 'Where the goods go.' }),
    metadata: t.field({ type: 'Metadata', description: 'Your own notes.' }),
  }),
});

const paymentId = { required: true, description: 'Identifier, prefix `pay_`.' } as const;

builder.queryFields((t) => ({
  payment: t.withAuth({ key: true }).field({
    type: PaymentResult,
    description: 'One payment with its transactions. 404 `PAYMENT_NOT_FOUND` when it is not within the reach of the key.',
    args: { paymentId: t.arg.string(paymentId) },
    resolve: (_root, args, context) => readPayment(context, args.paymentId),
  }),
  payments: t.withAuth({ key: true }).field({
    type: PaymentPage,
    description: "The payments of the key's account, or of all the partner's accounts of its mode, the newest first unless sorted otherwise.",
    args: { ...cursorArguments, sortBy: t.arg({ type: PaymentSort, description: 'The order.' }), filters: t.arg({ type: PaymentFilters, description: 'Which payments.' }) },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listPayments(context, args),
  }),
}));

builder.mutationFields((t) => ({
  processPayment: t.withAuth({ key: true }).field({
    type: PaymentResult,
    description: 'Charges a card. A declined charge is no error: it answers with `status` `declined` and a `failureCode`. When the outcome at the processor is not known yet, the status is `pending`/`processing` until it is.',
    args: { input: t.arg({ type: ProcessPaymentInput, required: true, description: 'The charge.' }) },
    resolve: (_root, { input }, context) => processPayment(context, input),
  }),
  continuePayment: t.withAuth({ key: true }).field({
    type: PaymentResult,
    description: 'Goes on with a payment after its challenge was answered. Before that, and for a payment that is final, it comes back unchanged.',
    args: { paymentId: t.arg.string(paymentId) },
    resolve: (_root, args, context) => continuePayment(context, args.paymentId),
  }),
}));
