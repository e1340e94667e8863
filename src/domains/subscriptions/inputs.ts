import { builder } from '../../graph/builder.ts';
import { exactlyOneOf } from '../../graph/input/rules.ts';

export const CreateSubscriptionInput = builder.inputType('CreateSubscriptionInput', {
  description: 'The subscription to create.',
  fields: (t) => ({
    customerId: t.id({
      required: true,
      description:
        'The customer who pays, prefix `cus_`. 404 if the customer is not visible to the API key. 409 ' +
        '`limit_reached` if the customer has 500 subscriptions that are not canceled.',
    }),
    priceId: t.id({
      required: true,
      description:
        "The price, prefix `price_`: a recurring price of the customer's store, in one of the charge currencies of " +
        'the store, otherwise 400. 404 if the account has no such price.',
    }),
    storeId: t.id({ description: "The customer's store, prefix `store_`. Optional." }),
    quantity: t.field({
      type: 'Quantity',
      required: true,
      defaultValue: 1,
      description:
        'The number of units per period, 1 to 1,000,000. The amount of a period is at most 99,999,999,999 ' +
        'minor units.',
    }),
    paymentInstrumentId: t.id({
      description:
        'The payment instrument to charge, prefix `pi_`. Defaults to the default payment instrument of the customer; ' +
        '400 if there is none. 409 `invalid_state` if it is inactive.',
    }),
    trialDays: t.int({
      description:
        'The length of the trial in days, 0 to 730. Defaults to the trial of the price. With a trial nothing is ' +
        'charged before it ends.',
    }),
    initiatePayment: t.boolean({
      required: true,
      defaultValue: true,
      description:
        'Whether the first period is charged now, with the customer present to answer a challenge. If true, ' +
        'the subscription is `incomplete` until the charge has succeeded. If false, nothing is charged now, the ' +
        'subscription is `active`, and the first charge is made at the end of the first period, or by `rebill`.',
    }),
    returnUrl: t.field({
      type: 'Url',
      description:
        'The URL to which the cardholder is redirected after a challenge of the first charge, including a retry by ' +
        '`rebill` while the subscription is `incomplete`. Must be https in live mode.',
    }),
    metadata: t.field({
      type: 'Metadata',
      description: 'Key-value pairs to store with the subscription. Defaults to an empty object.',
    }),
  }),
});

const subscriptionIdField = { required: true, description: 'The subscription, prefix `sub_`.' } as const;

export const CancelSubscriptionInput = builder.inputType('CancelSubscriptionInput', {
  ...exactlyOneOf('subscriptionId', 'subscriptionIds'),
  description:
    'The cancellation of one subscription (`subscriptionId`) or of several (`subscriptionIds`), exactly one of the ' +
    'two.',
  fields: (t) => ({
    subscriptionId: t.id({ description: 'The subscription to cancel, prefix `sub_`.' }),
    subscriptionIds: t.idList({
      description:
        'The subscriptions to cancel, 1 to 100. Each is canceled independently, and the answer contains the result ' +
        'of each.',
    }),
    cancelAtPeriodEnd: t.boolean({
      defaultValue: false,
      description:
        'Whether the subscription continues to the end of the paid period or of the trial; until then `resume` ' +
        'revokes the cancellation. If false, the subscription ends now, nothing more is charged, and nothing is ' +
        'refunded.',
    }),
  }),
});

export const PauseSubscriptionInput = builder.inputType('PauseSubscriptionInput', {
  description: 'The pause of a subscription.',
  fields: (t) => ({
    subscriptionId: t.id(subscriptionIdField),
    resumeAt: t.field({
      type: 'DateTime',
      description:
        'Time at which the subscription is resumed automatically: in the future, at most 1096 days from now. If left ' +
        'out, the subscription is paused until it is resumed by a call.',
    }),
  }),
});

export const UpdateSubscriptionInput = builder.inputType('UpdateSubscriptionInput', {
  description: 'The fields of the subscription to change. A field that is left out keeps its value.',
  fields: (t) => ({
    subscriptionId: t.id(subscriptionIdField),
    priceId: t.id({
      description:
        'The new price, prefix `price_`, of the same store and currency. With the same billing interval the ' +
        'periods do not change. With another billing interval a new period is charged immediately, less the unused ' +
        'part of what was paid, and starts when it is paid: see `pendingUpdate`. While `trialing`, nothing is ' +
        'charged. 409 `payment_failed` with `data.paymentId` if the charge fails: the subscription is unchanged. ' +
        '409 `invalid_state` for another billing interval unless the subscription is `active` or `trialing`. The ' +
        'present price and quantity cancel a pending change.',
    }),
    quantity: t.field({ type: 'Quantity', description: 'The new number of units per period, 1 to 1,000,000.' }),
    paymentInstrumentId: t.id({
      description:
        'The payment instrument of the customer to charge from now on, prefix `pi_`. A failed charge is retried at ' +
        'its scheduled time, or immediately by `rebill`.',
    }),
    prorate: t.boolean({
      defaultValue: true,
      description:
        'Whether the rest of the paid period is prorated. If true, the share of the remaining time, to the ' +
        'millisecond and in whole minor units rounded half up, is credited at the old price and owed at the new ' +
        'price, and the difference (`balance`) is added to the next charge. The credit is reduced by what was ' +
        'refunded of the period or lost in a dispute. While `past_due` the difference is added to the amount of the ' +
        'next retry. If false, the new price applies from the next period on, and a failed charge is retried with ' +
        'its amount; another billing interval is then a `pendingUpdate` until the paid period ends, and nothing is ' +
        'charged now.',
    }),
    returnUrl: t.field({
      type: 'Url',
      description:
        'The URL to which the cardholder is redirected after a challenge of the charge of another billing interval. ' +
        'Defaults to that of the creation. Must be https in live mode.',
    }),
  }),
});
