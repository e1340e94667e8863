import { isApiKey } from '../../auth/caller.ts';
import { type SqlRow, sql } from '../../database/sql.ts';
import type {
  Payment as PaymentRecord,
  SubscriptionPeriod as PeriodRecord,
  Subscription as SubscriptionRecord,
} from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { linkedRows } from '../../graph/linked-rows.ts';
import { ErrorCode, storedColumn } from '../../graph/shared-types.ts';
import type { ErrorCode as ErrorCodeName } from '../../lib/errors.ts';
import { Payment } from '../payments/public.ts';
import { IntervalRef } from '../products/public.ts';
import { type ActionRequired, actionRequiredOf, cardholderUrl } from './cardholder/link.ts';
import type { ActionReason, CancellationReason, SubscriptionStatus } from './subscription/lifecycle.ts';
import { type PendingUpdate, pendingUpdateOf } from './subscription/object.ts';

/** A subscription, with its latest payment if the operation has read it. */
export type SubscriptionRow = SqlRow<SubscriptionRecord> & { latestPayment?: PaymentRecord | null };
export type PeriodRow = SqlRow<PeriodRecord>;

export const statusValues = {
  incomplete: {
    description:
      'The first charge was declined, is awaiting a challenge, or is in progress, or the challenge was not ' +
      'answered. It can be retried for 23 hours (with another card, by `rebill`); then the subscription is ' +
      '`canceled`.',
  },
  trialing: { description: 'The subscription is free until its trial ends.' },
  active: { description: 'The subscription is charged at the end of each period.' },
  past_due: {
    description:
      'A charge was declined. It is retried 1, 3, 5 and 7 days after it first failed. If the last retry is declined, ' +
      'or a decline is final (`lost_card`, `incorrect_cvc`), the subscription is `canceled`.',
  },
  paused: { description: 'The subscription is not charged until it is resumed.' },
  canceled: { description: 'The subscription has ended. Final.' },
} as const satisfies Record<SubscriptionStatus, { description: string }>;

const SubscriptionStatusRef = builder.enumType('SubscriptionStatus', {
  description: 'The status of a subscription.',
  values: statusValues,
});

const CancellationReasonRef = builder.enumType('CancellationReason', {
  description: 'The reason for which a subscription ended.',
  values: {
    requested: { description: 'A call canceled the subscription with immediate effect.' },
    period_ended: { description: 'The period ended for which the cancellation was scheduled.' },
    payment_failed: { description: 'The last retry of a charge was declined, or a decline was final.' },
    incomplete_expired: { description: 'The first charge did not succeed within 23 hours.' },
    refunded: { description: 'A refund with `cancelSubscription` canceled the subscription.' },
  } satisfies Record<CancellationReason, { description: string }>,
});

const PendingUpdateRef = builder.objectRef<PendingUpdate>('PendingUpdate').implement({
  description: 'A change of a subscription to a price with another billing interval that is not in force.',
  fields: (t) => ({
    priceId: t.exposeID('priceId', { description: 'The price to come, prefix `price_`.' }),
    quantity: t.expose('quantity', { type: 'Quantity', description: 'The number of units per period to come.' }),
    paymentId: t.exposeID('paymentId', {
      nullable: true,
      description:
        'The payment that the change is awaiting, prefix `pay_`. When it succeeds, the new period starts; when it ' +
        'fails, the change is removed. Null if the change happens at the end of the paid period.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time at which the challenge of the payment expires: 23 hours after the call, or the end of the period if ' +
        'that ' +
        'comes first, but not before 30 minutes have passed. Null if the change happens at the end of the paid period.',
    }),
  }),
});

const ActionReasonRef = builder.enumType('SubscriptionActionReason', {
  description: 'The required cardholder action for a subscription that is past due.',
  values: {
    authentication: { description: 'The bank asks the cardholder to confirm the payment.' },
    card_expired: { description: 'The card has expired: the cardholder has to enter another one.' },
  } satisfies Record<ActionReason, { description: string }>,
});

const ActionRequiredRef = builder.objectRef<ActionRequired>('SubscriptionActionRequired').implement({
  description: 'The required cardholder action before a subscription that is past due can be charged.',
  fields: (t) => ({
    reason: t.expose('reason', { type: ActionReasonRef, description: 'The required cardholder action.' }),
    url: t.string({
      nullable: true,
      description:
        'The address of the hosted page on which the cardholder pays the open period: by confirming the payment, or ' +
        'with another card, which is charged from then on. It contains a secret, works while the subscription is ' +
        '`past_due` for this period, and is to be given to this customer only. Null for people.',
      resolve: ({ linkId }, _args, { caller, services }) =>
        isApiKey(caller) ? cardholderUrl(services.config, linkId) : null,
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description:
        'Time of the last retry, 7 days after the first failure. If that is declined, the subscription is `canceled`, ' +
        'and the page with it.',
    }),
  }),
});

const paidPeriods = {
  name: 'paid current periods',
  statement: (ids: readonly string[]) => sql`
    SELECT s.id AS "linkedTo"
    FROM subscriptions s
    JOIN subscription_periods p ON p."subscriptionId" = s.id AND p.index = s."periodIndex"
    WHERE s.id = ANY(${[...ids]}) AND p.status = 'paid'`,
};

// The name `Subscription` is reserved for the root type of GraphQL.
export const Subscription = builder.prismaObject('Subscription', {
  name: 'CustomerSubscription',
  description:
    'A recurring agreement to charge a customer, one charge per period. Periods are computed in UTC from an anchor: ' +
    'the start, the end of the trial, or the time of a resumption or of a change to another billing interval. A ' +
    'period of months ends on the day of the anchor at the same time of day, or on the last day of a month that has ' +
    'no such day (31 January, 28 or 29 February, 31 March).',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the subscription, prefix `sub_`.' }),
    storeId: t.exposeID('storeId', { description: 'The store of the subscription, prefix `store_`.' }),
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'The processing account that the subscription belongs to, prefix `tpa_`.',
    }),
    customerId: t.exposeID('customerId', { description: 'The customer who pays, prefix `cus_`.' }),
    paymentInstrumentId: t.exposeID('paymentInstrumentId', {
      description: 'The payment instrument that is charged, prefix `pi_`.',
    }),
    priceId: t.exposeID('priceId', { description: 'The price of one unit, prefix `price_`.' }),
    quantity: t.expose('quantity', { type: 'Quantity', description: 'The number of units per period.' }),
    amount: t.expose('amount', {
      type: 'Amount',
      description: 'The amount of a period in minor units of the currency: the price times the quantity.',
    }),
    currency: t.expose('currency', {
      type: 'Currency',
      description: 'The currency of the subscription, an ISO 4217 code.',
    }),
    interval: t.field({
      type: IntervalRef,
      description: 'The unit of the billing interval.',
      // a CHECK constraint holds the column to the enum
      ...storedColumn('interval'),
    }),
    intervalCount: t.exposeInt('intervalCount', { description: 'The number of units in the billing interval.' }),
    status: t.field({
      type: SubscriptionStatusRef,
      description: 'The status of the subscription.',
      // a CHECK constraint holds the column to the enum
      ...storedColumn('status'),
    }),
    trialEndsAt: t.expose('trialEndsAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time at which the trial ends or ended, and the subscription is charged for the first time. Null without a ' +
        'trial.',
    }),
    currentPeriodStart: t.expose('currentPeriodStart', {
      type: 'DateTime',
      description: 'Start of the current period.',
    }),
    currentPeriodEnd: t.expose('currentPeriodEnd', {
      type: 'DateTime',
      description:
        'End of the current period. After a `rebill` before the end of the period, the end of the period that is ' +
        'paid already.',
    }),
    currentPeriodPaid: t.boolean({
      description:
        'Whether the charge of the current period succeeded. It stays true after a refund. False during a trial and ' +
        'for a first period that is not charged (`initiatePayment` false).',
      resolve: async ({ id }, _args, context) => (await linkedRows(context, paidPeriods, id)).length > 0,
    }),
    nextBillingDate: t.expose('nextBillingDate', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time of the next charge: the end of the period, or the next retry while `past_due`. Null if no charge is ' +
        'scheduled.',
    }),
    balance: t.expose('balance', {
      type: 'SignedAmount',
      description:
        'The amount carried over from prorations in minor units of the currency: added to the next charge if ' +
        'positive, subtracted from it if negative. A credit larger than a charge is carried on. What is left ' +
        'when the subscription ends is neither charged nor paid out.',
    }),
    cancelAtPeriodEnd: t.exposeBoolean('cancelAtPeriodEnd', {
      description: 'Whether the subscription ends at the end of the current period.',
    }),
    canceledAt: t.expose('canceledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the subscription ended. Null unless it is `canceled`.',
    }),
    cancellationReason: t.field({
      type: CancellationReasonRef,
      nullable: true,
      description: 'The reason for which the subscription ended. Null unless it is `canceled`.',
      // a CHECK constraint holds the column to the enum
      ...storedColumn('cancellationReason'),
    }),
    pausedAt: t.expose('pausedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the subscription was paused. Null unless it is `paused`.',
    }),
    resumeAt: t.expose('resumeAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which a paused subscription is resumed automatically. Null if no time is set.',
    }),
    pendingUpdate: t.field({
      type: PendingUpdateRef,
      nullable: true,
      description:
        'The change to another billing interval that is awaiting its payment, or, with `prorate` false, the ' +
        'end of the paid period. While one is awaiting its payment, another change, `pause` and `rebill` are 409 ' +
        '`invalid_state`. An update to the present price and quantity takes it back; another update replaces one ' +
        'that takes effect at the end of the period. Null if there is none.',
      resolve: (subscription) => pendingUpdateOf(subscription),
    }),
    actionRequired: t.field({
      type: ActionRequiredRef,
      nullable: true,
      description:
        'The required cardholder action while the subscription is `past_due`, with the address of the page for it: ' +
        'after a charge that failed with `authentication_failed` or `expired_card`, until the period is paid, the ' +
        'card replaced, or the subscription ended. Null otherwise.',
      resolve: (subscription) => actionRequiredOf(subscription),
    }),
    latestPaymentId: t.exposeID('latestPaymentId', {
      nullable: true,
      description: 'The latest payment of the subscription, prefix `pay_`. Null before the first charge.',
    }),
    latestPayment: t.field({
      type: Payment,
      nullable: true,
      description:
        'The latest payment of the subscription. Null before the first charge. If the payment of an `incomplete` ' +
        'subscription or of its `pendingUpdate` has `requireActionData`, the cardholder must answer a challenge: ' +
        'continue that payment, and the subscription is updated by its outcome.',
      // The operations that charge have read it.
      resolve: ({ latestPayment, latestPaymentId: id }: SubscriptionRow, _args, { services }) =>
        latestPayment !== undefined
          ? latestPayment
          : id === null
            ? null
            : services.prisma.payment.findUnique({ where: { id } }),
    }),
    testClockId: t.exposeID('testClockId', {
      nullable: true,
      description:
        'The test clock of the customer, whose time applies to the subscription, prefix `clock_`. Null if real time ' +
        'applies.',
    }),
    metadata: t.expose('metadata', { type: 'Metadata', description: 'Key-value pairs stored with the subscription.' }),
    livemode: t.boolean({
      description: 'True in live mode, false in test mode.',
      resolve: ({ mode }) => mode === 'live',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the subscription was created.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'Time at which the subscription last changed.',
    }),
  }),
});

/** The result of one of several cancellations. */
export interface CancellationOutcome {
  subscriptionId: string;
  subscription: SubscriptionRow | null;
  error: { code: ErrorCodeName; message: string } | null;
}

const CancellationError = builder.objectRef<{ code: ErrorCodeName; message: string }>('CancellationError').implement({
  description: 'The error for which one of several subscriptions was not canceled.',
  fields: (t) => ({
    code: t.expose('code', {
      type: ErrorCode,
      description: 'The error code, the same as of a cancellation of this subscription alone.',
    }),
    message: t.exposeString('message', { description: 'A description of the error in one sentence.' }),
  }),
});

const CancellationOutcomeRef = builder.objectRef<CancellationOutcome>('CancellationOutcome').implement({
  description: 'The result of one of several cancellations.',
  fields: (t) => ({
    subscriptionId: t.exposeID('subscriptionId', {
      description: 'The subscription as named in the request, prefix `sub_`.',
    }),
    subscription: t.field({
      type: Subscription,
      nullable: true,
      description: 'The canceled subscription. Null if the cancellation failed.',
      resolve: ({ subscription }) => subscription,
    }),
    error: t.field({
      type: CancellationError,
      nullable: true,
      description: 'The error. Null if the cancellation succeeded.',
      resolve: ({ error }) => error,
    }),
  }),
});

const Cancellations = builder.objectRef<{ results: CancellationOutcome[] }>('Cancellations').implement({
  description: 'The results of several cancellations.',
  fields: (t) => ({
    results: t.field({
      type: [CancellationOutcomeRef],
      description: 'One result for each of `subscriptionIds`.',
      resolve: ({ results }) => results,
    }),
  }),
});

export const CancelSubscriptionResult = builder.unionType('CancelSubscriptionResult', {
  description:
    'The canceled subscription for `subscriptionId`; the results of all cancellations for `subscriptionIds`.',
  types: [Subscription, Cancellations],
  resolveType: (value) => ('results' in value ? 'Cancellations' : 'CustomerSubscription'),
});
