import type {
  Payment as PaymentRecord,
  Subscription as SubscriptionRecord,
  SubscriptionPeriod as PeriodRecord,
} from '../generated/prisma/client.ts';
import { builder } from '../graph/builder.ts';
import { Payment } from '../payments/types.ts';
import { type Interval, IntervalRef } from '../products/types.ts';
import { cancellationReasons, subscriptionStatuses } from './lifecycle.ts';

/** Amounts come as numbers from our own statements and as big integers from Prisma. */
type Loose<Row> = { [Name in keyof Row]: bigint extends Row[Name] ? number | bigint : Row[Name] };

/** With its latest charge, when the call that answers has brought it along. */
export type SubscriptionRow = Loose<SubscriptionRecord> & { latestPayment?: PaymentRecord | null };
export type PeriodRow = Loose<PeriodRecord>;

export const SubscriptionStatusRef = builder.enumType('SubscriptionStatus', {
  description: 'Where a subscription stands.',
  values: {
    incomplete: {
      description:
        'Its first charge was declined, waits for a challenge, or is under way. It has 23 hours to be mended (another card, `rebill`), then it is `canceled`.',
    },
    trialing: { description: 'Free until the trial ends.' },
    active: { description: 'Billed at the end of each period.' },
    past_due: {
      description:
        'A charge was declined. It is tried again 1, 3, 5 and 7 days after it first failed; when the last try is declined, too, or the card can never pass, it is `canceled`.',
    },
    paused: { description: 'Not billed until it is resumed.' },
    canceled: { description: 'Over for good.' },
  },
});
const CancellationReasonRef = builder.enumType('CancellationReason', {
  description: 'Why a subscription ended.',
  values: {
    requested: { description: 'Canceled at once.' },
    period_ended: { description: 'Canceled at the end of its period, as was asked.' },
    payment_failed: { description: 'The last try of a charge was declined, or the card can never pass.' },
    incomplete_expired: { description: 'The first charge was not mended within 23 hours.' },
    authentication_expired: { description: "The first charge's challenge was not answered in time." },
    refunded: { description: 'A refund asked for it with `cancelSubscription`.' },
  } satisfies Record<(typeof cancellationReasons)[number], { description: string }>,
});

// GraphQL keeps the plain name for something else.
export const Subscription = builder.objectRef<SubscriptionRow>('CustomerSubscription').implement({
  description:
    'A customer who pays a recurring price each period. Periods are reckoned in UTC from an anchor (the start, the end of the trial, or when it was resumed or changed to another interval): a period of months ends on the day of the anchor, or on the last day of a month that has no such day (31 January, 28 or 29 February, 31 March), at the same time of day.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `sub_`.' }),
    storeId: t.exposeString('storeId', { description: 'The store, prefix `store_`.' }),
    platformAccountId: t.exposeString('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    customerId: t.exposeString('customerId', { description: 'Who pays, prefix `cus_`.' }),
    paymentInstrumentId: t.exposeString('paymentInstrumentId', { description: 'With what, prefix `pi_`.' }),
    priceId: t.exposeString('priceId', { description: 'The price of one, prefix `price_`.' }),
    quantity: t.expose('quantity', { type: 'Quantity', description: 'How many are paid each period.' }),
    amount: t.expose('amount', {
      type: 'Amount',
      description: 'What a period costs: the price times the quantity, in minor units.',
    }),
    currency: t.expose('currency', { type: 'Currency', description: 'ISO 4217 code.' }),
    interval: t.field({
      type: IntervalRef,
      description: 'The unit of its period.',
      resolve: ({ interval }) => interval as Interval,
    }), // a CHECK constraint holds the column to the enum
    intervalCount: t.exposeInt('intervalCount', { description: 'How many of that unit a period has.' }),
    status: t.field({
      type: SubscriptionStatusRef,
      description: 'Where it stands.',
      resolve: ({ status }) => status as (typeof subscriptionStatuses)[number],
    }), // as above
    trialEndsAt: t.expose('trialEndsAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the trial ends or ended; null without one. Then it is charged for the first time.',
    }),
    currentPeriodStart: t.expose('currentPeriodStart', {
      type: 'DateTime',
      description: 'When the present period began.',
    }),
    currentPeriodEnd: t.expose('currentPeriodEnd', {
      type: 'DateTime',
      description: 'When it ends; after a `rebill` ahead of time, when the period that is paid already ends.',
    }),
    nextBillingDate: t.expose('nextBillingDate', {
      type: 'DateTime',
      nullable: true,
      description:
        'When it is charged next: at the end of the period, or the next try while `past_due`. Null when no charge is coming.',
    }),
    balance: t.expose('balance', {
      type: 'SignedAmount',
      description:
        'What changes in mid-period left to be settled, in minor units: added to the next charge where positive, taken from it where negative. A credit larger than a charge is carried on; one that is left when the subscription ends is not paid out.',
    }),
    cancelAtPeriodEnd: t.exposeBoolean('cancelAtPeriodEnd', { description: 'Whether it ends with its period.' }),
    canceledAt: t.expose('canceledAt', { type: 'DateTime', nullable: true, description: 'When it ended.' }),
    cancellationReason: t.field({
      type: CancellationReasonRef,
      nullable: true,
      description: 'Why it ended.',
      resolve: ({ cancellationReason }) => cancellationReason as (typeof cancellationReasons)[number] | null,
    }), // as above
    pausedAt: t.expose('pausedAt', { type: 'DateTime', nullable: true, description: 'Since when it is paused.' }),
    resumeAt: t.expose('resumeAt', { type: 'DateTime', nullable: true, description: 'When it is resumed by itself.' }),
    latestPaymentId: t.exposeString('latestPaymentId', {
      nullable: true,
      description: 'Its latest charge, prefix `pay_`.',
    }),
    latestPayment: t.field({
      type: Payment,
      nullable: true,
      description:
        'Its latest charge. Of an `incomplete` one with `requireActionData`, when the cardholder has to answer a challenge: then continue that payment, and the subscription follows.',
      resolve: ({ latestPayment, latestPaymentId: id }, _args, { env }) =>
        latestPayment !== undefined
          ? latestPayment
          : id === null
            ? null
            : env.prisma.payment.findUnique({ where: { id } }),
    }),
    testClockId: t.exposeString('testClockId', {
      nullable: true,
      description: "The test clock it lives by, its customer's, prefix `clock_`; null in real time.",
    }),
    metadata: t.expose('metadata', { type: 'Metadata', description: 'Your own notes.' }),
    livemode: t.boolean({ description: 'False in test mode.', resolve: ({ mode }) => mode === 'live' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});

/** What became of one of several subscriptions that were to be canceled. */
export interface CancellationOutcome {
  subscriptionId: string;
  subscription: SubscriptionRow | null;
  error: { code: string; message: string } | null;
}

const CancellationError = builder.objectRef<{ code: string; message: string }>('CancellationError').implement({
  description: 'Why one of several subscriptions was not canceled.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The code that canceling this one alone would have answered with.' }),
    message: t.exposeString('message', { description: 'The same in a sentence.' }),
  }),
});

const CancellationOutcomeRef = builder.objectRef<CancellationOutcome>('CancellationOutcome').implement({
  description: 'What became of one of several cancellations.',
  fields: (t) => ({
    subscriptionId: t.exposeString('subscriptionId', { description: 'The subscription, as it was asked for.' }),
    subscription: t.field({
      type: Subscription,
      nullable: true,
      description: 'The subscription, unless it was refused.',
      resolve: ({ subscription }) => subscription,
    }),
    error: t.field({
      type: CancellationError,
      nullable: true,
      description: 'Why it was refused.',
      resolve: ({ error }) => error,
    }),
  }),
});

const Cancellations = builder.objectRef<{ results: CancellationOutcome[] }>('Cancellations').implement({
  description: 'What became of several cancellations.',
  fields: (t) => ({
    results: t.field({
      type: [CancellationOutcomeRef],
      description: 'One for each of `subscriptionIds`.',
      resolve: ({ results }) => results,
    }),
  }),
});

export const CancelSubscriptionResult = builder.unionType('CancelSubscriptionResult', {
  description: 'With `subscriptionId` the subscription; with `subscriptionIds` what became of each.',
  types: [Subscription, Cancellations],
  resolveType: (value) => ('results' in value ? 'Cancellations' : 'CustomerSubscription'),
});
