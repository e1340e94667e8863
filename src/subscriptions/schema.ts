import { builder } from '../graph/builder.ts';
import { pageArguments, pageComplexity, pageType, sortInput } from '../graph/pages.ts';
import { cancelSubscription } from './cancel-subscription.ts';
import {
  pauseSubscription,
  rebillSubscription,
  resumeSubscription,
  updateSubscription,
} from './change-subscription.ts';
import { createSubscription } from './create-subscription.ts';
import { subscriptionStatuses } from './lifecycle.ts';
import { listSubscriptions, readSubscription } from './operations.ts';
import { CancelSubscriptionResult, Subscription } from './types.ts';

export const SubscriptionPage = pageType('SubscriptionPage', Subscription, 'subscriptions');
export const SubscriptionSort = sortInput('SubscriptionSort', ['createdAt', 'nextBillingDate', 'status']);
const SubscriptionStatusFilter = builder.enumType('SubscriptionStatusFilter', {
  description: 'Where a subscription stands.',
  values: subscriptionStatuses,
});

export const SubscriptionFilters = builder.inputType('SubscriptionFilters', {
  description: 'Which subscriptions. All that are given must hold.',
  fields: (t) => ({
    status: t.field({ type: [SubscriptionStatusFilter], description: 'Any of these statuses.' }),
    customerId: t.string({ description: 'Of this customer.' }),
    priceId: t.string({ description: 'To this price.' }),
    storeId: t.stringList({ description: 'Any of these stores.' }),
  }),
});

const subscriptionIdField = { required: true, description: 'Identifier, prefix `sub_`.' } as const;

export const CreateSubscriptionInput = builder.inputType('CreateSubscriptionInput', {
  description: 'A subscription.',
  fields: (t) => ({
    customerId: t.string({
      required: true,
      description:
        'Who pays, prefix `cus_`. At most 500 subscriptions a customer that are not canceled (409 `limit_reached`).',
    }),
    priceId: t.string({
      required: true,
      description:
        "The price, prefix `price_`: a recurring one of the customer's store, in one of its charge currencies (else 400).",
    }),
    storeId: t.string({ description: "The customer's store, prefix `store_`. May be left out." }),
    quantity: t.field({
      type: 'Quantity',
      required: true,
      defaultValue: 1,
      description: 'How many, 1 to 1,000,000; with the price at most 99,999,999,999 a period.',
    }),
    paymentInstrumentId: t.string({
      description:
        "With what, prefix `pi_`; the customer's default when left out. 409 `invalid_state` when it is inactive.",
    }),
    trialDays: t.int({
      description:
        'How many days it is free, 0 to 730; those of the price when left out. With a trial nothing is charged before it ends.',
    }),
    initiatePayment: t.boolean({
      required: true,
      defaultValue: true,
      description:
        'Whether the first period is charged now, with the customer there to answer a challenge: until that has succeeded it is `incomplete`. With false nothing is charged now: it is `active`, and the first charge comes at the end of the first period, or by `rebill`.',
    }),
    returnUrl: t.field({
      type: 'Url',
      description:
        'Where the payer goes after a challenge of the first charge, also when `rebill` tries it again while the subscription is `incomplete`; https in live mode.',
    }),
    metadata: t.field({ type: 'Metadata', description: 'Your own notes.' }),
  }),
});

export const CancelSubscriptionInput = builder.inputType('CancelSubscriptionInput', {
  description: 'A cancellation of one subscription (`subscriptionId`) or of several (`subscriptionIds`).',
  fields: (t) => ({
    subscriptionId: t.string({ description: 'Identifier, prefix `sub_`.' }),
    subscriptionIds: t.stringList({
      description: 'Up to 100 identifiers. Each is canceled on its own, and the answer tells how each went.',
    }),
    cancelAtPeriodEnd: t.boolean({
      description:
        'Whether it goes on to the end of what is paid or on trial; `resume` takes that back until then. Default false: it ends at once, nothing more is charged, and nothing is given back.',
    }),
  }),
});

export const PauseSubscriptionInput = builder.inputType('PauseSubscriptionInput', {
  description: 'A pause.',
  fields: (t) => ({
    subscriptionId: t.string(subscriptionIdField),
    resumeAt: t.field({
      type: 'DateTime',
      description:
        'When it is resumed by itself: in the future, at most 1096 days from now. Left out, it stays paused until `resume`.',
    }),
  }),
});

export const UpdateSubscriptionInput = builder.inputType('UpdateSubscriptionInput', {
  description: 'What to change. What is left out stays.',
  fields: (t) => ({
    subscriptionId: t.string(subscriptionIdField),
    priceId: t.string({
      description:
        'Another price, prefix `price_`, of the same store and currency. In the same interval the periods stay as they are. In another one a new period begins now and is charged at once, less what of the present one is paid and not used; only while `active` (else 409).',
    }),
    quantity: t.field({ type: 'Quantity', description: 'How many from now on.' }),
    paymentInstrumentId: t.string({
      description:
        "Another card of the customer's, charged from now on. A charge that failed is tried again at its time, or at once by `rebill`.",
    }),
    prorate: t.boolean({
      description:
        'Whether the rest of what is paid is reckoned at the new price (default true). To the millisecond, and in whole minor units: the share of what is left, rounded half up, is credited at the old price and owed at the new one, and the difference (`balance`) goes with the next charge. With false the new price holds from the next period on.',
    }),
  }),
});

const subscriptionArgument = { subscriptionId: subscriptionIdField } as const;

builder.queryFields((t) => ({
  subscription: t.withAuth({ key: true }).field({
    type: Subscription,
    description: 'One subscription. 404 when it is not within the reach of the key.',
    args: { subscriptionId: t.arg.string(subscriptionArgument.subscriptionId) },
    resolve: (_root, args, context) => readSubscription(context, args.subscriptionId),
  }),
  subscriptions: t.withAuth({ key: true }).field({
    type: SubscriptionPage,
    description:
      "The subscriptions of the key's account, or of all the partner's accounts of its mode, the newest first unless sorted otherwise. By `nextBillingDate`, those without one stand last going up and first going down.",
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: SubscriptionSort, description: 'The order.' }),
      filters: t.arg({ type: SubscriptionFilters, description: 'Which subscriptions.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listSubscriptions(context, args),
  }),
}));

builder.mutationFields((t) => ({
  createSubscription: t.withAuth({ key: true }).field({
    type: Subscription,
    description:
      'Subscribes a customer to a recurring price. A first charge that is declined is no error: the subscription is `incomplete`. A card that asks for 3DS: `incomplete`, with the challenge in `latestPayment`; it becomes `active` when that payment is continued, and is `canceled` when nobody answers. 403 `account_not_active` when the account may not charge.',
    args: { input: t.arg({ type: CreateSubscriptionInput, required: true, description: 'The subscription.' }) },
    resolve: (_root, { input }, context) => createSubscription(context, input),
  }),
  cancelSubscription: t.withAuth({ key: true }).field({
    type: CancelSubscriptionResult,
    description:
      'Ends a subscription for good, at once or with its period. 409 `invalid_state` when it is canceled already, or is `incomplete` and to end with its period.',
    args: { input: t.arg({ type: CancelSubscriptionInput, required: true, description: 'Which, and when.' }) },
    resolve: (_root, { input }, context) => cancelSubscription(context, input),
  }),
  pauseSubscription: t.withAuth({ key: true }).field({
    type: Subscription,
    description:
      'Stops billing. Periods that would begin meanwhile are not charged, then or later. 409 `invalid_state` unless it is `active`.',
    args: { input: t.arg({ type: PauseSubscriptionInput, required: true, description: 'Which, and until when.' }) },
    resolve: (_root, { input }, context) => pauseSubscription(context, input),
  }),
  resumeSubscription: t.withAuth({ key: true }).field({
    type: Subscription,
    description:
      'Lifts a pause, and a scheduled cancel. Resumed within the period that is paid, it goes on as before. Later, a new period begins now, is charged at once, and those after it are counted from now. 409 `invalid_state` when there is nothing to lift.',
    args: { subscriptionId: t.arg.string(subscriptionArgument.subscriptionId) },
    resolve: (_root, args, context) => resumeSubscription(context, args.subscriptionId),
  }),
  updateSubscription: t.withAuth({ key: true }).field({
    type: Subscription,
    description:
      'Changes price, quantity or card. 409 `invalid_state` when it is canceled, a charge is under way, or it is `incomplete` and price or quantity is to change.',
    args: { input: t.arg({ type: UpdateSubscriptionInput, required: true, description: 'What to change.' }) },
    resolve: (_root, { input }, context) => updateSubscription(context, input),
  }),
  rebillSubscription: t.withAuth({ key: true }).field({
    type: Subscription,
    description:
      'Charges now what would be charged next: a charge that failed is tried again; a trial ends and the first period begins; an `active` one is charged for its next period, one ahead at most, and its dates stay. A charge ahead that is declined changes nothing. 409 `invalid_state` when it is paused, canceled or to be canceled, a charge is under way, or the next period is paid.',
    args: { subscriptionId: t.arg.string(subscriptionArgument.subscriptionId) },
    resolve: (_root, args, context) => rebillSubscription(context, args.subscriptionId),
  }),
}));
