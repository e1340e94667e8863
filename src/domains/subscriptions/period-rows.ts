import type { Write } from '../../write/write.ts';
import type { Interval } from '../products/public.ts';
import { type BillingInterval, periodBoundaryAt } from './periods.ts';
import type { PeriodRow, SubscriptionRow } from './types.ts';

/** The position of a period among the periods of its subscription. */
export type PeriodPlace = Pick<PeriodRow, 'index' | 'startsAt' | 'endsAt' | 'anchorAt' | 'cycle'>;

function billingIntervalOf({
  interval,
  intervalCount,
}: Pick<SubscriptionRow, 'interval' | 'intervalCount'>): BillingInterval {
  return { interval: interval as Interval, intervalCount }; // a CHECK constraint holds the column to the enum
}

/** The period that starts when the current one ends. */
export function periodAfter(subscription: SubscriptionRow): PeriodPlace {
  const { periodIndex, currentPeriodEnd: startsAt, anchorAt, cycle } = subscription;
  return {
    index: periodIndex + 1,
    startsAt,
    endsAt: periodBoundaryAt(anchorAt, billingIntervalOf(subscription), cycle + 2),
    anchorAt,
    cycle: cycle + 1,
  };
}

/** A period that starts at a new anchor, from which the later periods are counted. */
export function periodFrom(subscription: SubscriptionRow, anchorAt: Date): PeriodPlace {
  return {
    index: subscription.periodIndex + 1,
    startsAt: anchorAt,
    endsAt: periodBoundaryAt(anchorAt, billingIntervalOf(subscription), 1),
    anchorAt,
    cycle: 0,
  };
}

/** The period after one that is not opened. It has an index of its own, so that the two count from the same anchor. */
export function placeAfter(
  subscription: Pick<SubscriptionRow, 'interval' | 'intervalCount'>,
  { index, endsAt: startsAt, anchorAt, cycle }: PeriodPlace,
): PeriodPlace {
  const endsAt = periodBoundaryAt(anchorAt, billingIntervalOf(subscription), cycle + 2);
  return { index: index + 1, startsAt, endsAt, anchorAt, cycle: cycle + 1 };
}

/** How long the call that opens a period has to start its charge. After that the job starts it. */
export const startMs = 30_000;

/** Writes the row of a period that is to be charged. */
export function addPeriod(
  { tx, now }: Write,
  subscription: SubscriptionRow,
  place: PeriodPlace,
  { amount, paymentId }: { amount: number; paymentId: string | null },
): Promise<PeriodRow> {
  const { id: subscriptionId, partnerId, platformAccountId, mode, currency } = subscription;
  const opened = {
    ...place,
    planAmount: Number(subscription.amount),
    amount,
    status: 'charging',
    paymentId,
    updatedAt: now,
  };
  // A declined charge before the start of the period has left a row, which is used again.
  return tx.subscriptionPeriod.upsert({
    where: { subscriptionId_index: { subscriptionId, index: place.index } },
    create: { subscriptionId, partnerId, platformAccountId, mode, currency, ...opened, attempts: 1, createdAt: now },
    update: { ...opened, attempts: { increment: 1 } },
  });
}

/** Makes this the current period. A period paid before its start extends the current period. */
export function enterPeriod(
  { currentPeriodStart, trialEndsAt, status }: SubscriptionRow,
  { index, startsAt, endsAt, anchorAt, cycle }: PeriodRow,
  now: Date,
) {
  const entered = {
    periodIndex: index,
    anchorAt,
    cycle,
    currentPeriodStart: startsAt > now ? currentPeriodStart : startsAt,
    currentPeriodEnd: endsAt,
  };
  return status === 'trialing' && trialEndsAt && startsAt < trialEndsAt
    ? { ...entered, trialEndsAt: startsAt }
    : entered;
}
