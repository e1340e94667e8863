import { builder } from '../../graph/builder.ts';
import { exactlyOneOf } from '../../graph/input/rules.ts';
import { AddressInput } from '../../graph/shared-types.ts';

const PaymentMode = builder.enumType('PaymentMode', {
  description: 'Whether a charge is captured immediately.',
  values: {
    purchase: { description: 'The amount is authorized and captured in one step.' },
    auth: { description: 'The amount is authorized only. It can be captured or voided within 7 days.' },
  } as const,
});
const InitiatedBy = builder.enumType('InitiatedBy', {
  description: 'Who initiates a charge.',
  values: {
    customer: { description: 'The cardholder is present and can answer a challenge.' },
    merchant: { description: 'The cardholder is absent, as for a renewal, and could not answer a challenge.' },
  } as const,
});
const ReasonType = builder.enumType('ReasonType', {
  description: 'The reason for which a merchant initiates a charge.',
  values: {
    recurring: { description: 'A charge at regular intervals.' },
    unscheduled: { description: 'A charge without a schedule.' },
    installment: { description: 'One of several parts of an amount.' },
  } as const,
});
const ThreeDs = builder.enumType('ThreeDs', {
  description: 'Whether the cardholder is challenged with 3D Secure.',
  values: {
    automatic: { description: 'The issuer decides.' },
    force: { description: 'The cardholder is always challenged.' },
    skip: { description: 'The cardholder is never challenged. The issuer may decline the charge for it.' },
  } as const,
});

export const ProcessPaymentInput = builder.inputType('ProcessPaymentInput', {
  description: 'A charge.',
  fields: (t) => ({
    storeId: t.id({
      description:
        'The identifier of the store, prefix `store_`. Required with a partner key, and with a sub-key whose account ' +
        'has several stores. 403 `forbidden_scope` if the store is not visible to the API key.',
    }),
    paymentInstrumentId: t.id({
      required: true,
      description:
        'The identifier of the payment instrument to charge, prefix `pi_`. 409 `invalid_state` if it is inactive.',
    }),
    amount: t.field({
      type: 'Amount',
      required: true,
      description: 'The amount in minor units of the currency, from 1 to 99,999,999,999.',
    }),
    currency: t.field({
      type: 'Currency',
      required: true,
      description:
        'The ISO 4217 code of the currency. It must be one of the charge currencies of the store (else 400).',
    }),
    customerId: t.id({
      description:
        'The identifier of the customer, prefix `cus_`. It must be the customer of the payment instrument (else ' +
        '400). Default: that customer.',
    }),
    orderId: t.id({
      description:
        'The identifier of the order that is paid, prefix `ord_`. Amount and currency must be those of the order ' +
        '(else 400). 409 `invalid_state` if the order is paid or canceled, or another payment of it is in progress.',
    }),
    subscriptionId: t.id({
      description:
        'The identifier of the subscription that the charge belongs to, prefix `sub_`. It must be a subscription of ' +
        'the customer in this store (else 400). The charge is made in addition to the charges of its periods.',
    }),
    mode: t.field({
      type: PaymentMode,
      required: true,
      defaultValue: 'purchase',
      description: 'Whether the amount is captured immediately or authorized only.',
    }),
    initiatedBy: t.field({
      type: InitiatedBy,
      required: true,
      defaultValue: 'customer',
      description: 'Who initiates the charge.',
    }),
    reasonType: t.field({
      type: ReasonType,
      description: 'The reason for the charge. Accepted only with `initiatedBy: merchant` (else 400).',
    }),
    returnUrl: t.field({
      type: 'Url',
      description: 'The address to which the payer is redirected after a challenge. It must be https in live mode.',
    }),
    threeDs: t.field({
      type: ThreeDs,
      description:
        'Whether the cardholder is challenged with 3D Secure. Default: the setting of the payment flow, or ' +
        '`automatic` without one. `force` of a flow does not apply to a charge initiated by the merchant.',
    }),
    paymentFlowId: t.id({
      description:
        'The identifier of the payment flow that routes the charge, prefix `flow_`. Default: the flow of the store. ' +
        'Ignored if `processorId` is given.',
    }),
    processorId: t.id({
      description:
        'The identifier of the only processor to call, prefix `proc_`, regardless of any flow. Default: the route of ' +
        'the flow, or without a flow the oldest usable processor of the account.',
    }),
    payerIp: t.field({
      type: 'IpAddress',
      description:
        "The IP address of the cardholder's device, IPv4 or IPv6. Block rules with `ipAddress` compare it; without " +
        'it they do not match. It is used for the rules of this charge only: it is not stored and not returned.',
    }),
    billingAddress: t.field({ type: AddressInput, description: 'The billing address.' }),
    shippingAddress: t.field({ type: AddressInput, description: 'The shipping address.' }),
    metadata: t.field({ type: 'Metadata', description: 'Key-value pairs to store with the payment.' }),
  }),
});
export type ChargeInput = typeof ProcessPaymentInput.$inferInput;

export const CapturePaymentInput = builder.inputType('CapturePaymentInput', {
  description: 'A capture.',
  fields: (t) => ({
    paymentId: t.id({ required: true, description: 'The identifier of the payment, prefix `pay_`.' }),
    amount: t.field({
      type: 'Amount',
      description:
        'The amount in minor units, at most the authorized amount (else 400). Default: the authorized amount. An ' +
        'authorization is captured once; the rest of it is released.',
    }),
  }),
});

export const RefundPaymentInput = builder.inputType('RefundPaymentInput', {
  ...exactlyOneOf('paymentId', 'paymentIds'),
  description:
    'A refund of one payment (`paymentId`) or of several (`paymentIds`). Exactly one of the two is required.',
  fields: (t) => ({
    paymentId: t.id({ description: 'The identifier of the payment, prefix `pay_`.' }),
    paymentIds: t.idList({
      description:
        'The identifiers of 1 to 100 payments. Each payment is refunded by itself, and the answer contains the ' +
        'outcome of each.',
    }),
    amount: t.field({
      type: 'Amount',
      description:
        'The amount in minor units, at most the refundable balance (else 400). Default: the refundable balance. ' +
        'With `paymentIds` it applies to each payment.',
    }),
    reason: t.field({ type: 'ShortText', description: 'The reason for the refund, as free text.' }),
    metadata: t.field({ type: 'Metadata', description: 'Key-value pairs to store with the refund.' }),
    cancelSubscription: t.boolean({
      defaultValue: false,
      description:
        'Whether to cancel the subscription of the payment immediately, regardless of the outcome of the refund. It has ' +
        'no effect on a payment without a subscription.',
    }),
    blacklistCustomer: t.boolean({
      defaultValue: false,
      description: 'Whether to add a permanent block rule against the customer, by identifier and email address.',
    }),
  }),
});
export type RefundInput = typeof RefundPaymentInput.$inferInput;
