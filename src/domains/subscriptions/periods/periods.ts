import { Temporal } from 'temporal-polyfill';
import type { Prisma } from '../../../generated/prisma/client.ts';
import type { Write } from '../../../unit-of-work/write.ts';
import type { Interval } from '../../products/public.ts';
import type { PeriodRow, SubscriptionRow } from '../types.ts';

/**
 * The interval from which the boundaries of periods are computed, in UTC: a day has 24 hours, and a period ends at the
 * time of day of its anchor. Boundaries are counted from the anchor and not from one another, so that a subscription of
 * 31 January is billed on the last day of February and then on 31 March.
 */
interface BillingInterval {
  interval: Interval;
  intervalCount: number;
}

/** The time `cycles` periods after the anchor. */
export function periodBoundaryAt(anchor: Date, { interval, intervalCount }: BillingInterval, cycles: number): Date {
  const from = Temporal.Instant.fromEpochMilliseconds(anchor.getTime()).toZonedDateTimeISO('UTC');
  const to = from.add({ [`${interval}s`]: cycles * intervalCount }, { overflow: 'constrain' });
  return new Date(to.epochMilliseconds);
}

const dayMs = 86_400_000;

export function daysAfter(moment: Date, days: number): Date {
  return new Date(moment.getTime() + days * dayMs);
}

/** A span of time and its price. */
interface Span {
  startsAt: Date;
  endsAt: Date;
  planAmount: number | bigint;
}

/** A paid span, and how much of its payment was returned since it was last prorated: refunded, or lost in a dispute. */
interface PaidSpan extends Span {
  returned: number;
}

/**
 * The share of `amount` for the part of a span that is left at `now`: to the millisecond, in whole minor units, rounded
 * half up. The used share is the rest, so that both sum to the amount.
 */
export function unusedShare(
  amount: number | bigint,
  { startsAt, endsAt }: Omit<Span, 'planAmount'>,
  now: Date,
): number {
  const { whole, left } = partsOf({ startsAt, endsAt }, now);
  return rounded(BigInt(amount) * left, whole);
}

/** The length of a span and of what is left of it at `now`, in milliseconds. */
function partsOf({ startsAt, endsAt }: Omit<Span, 'planAmount'>, now: Date): { whole: bigint; left: bigint } {
  return {
    whole: BigInt(endsAt.getTime() - startsAt.getTime()),
    left: BigInt(Math.max(0, endsAt.getTime() - Math.max(now.getTime(), startsAt.getTime()))),
  };
}

/** The quotient of two numbers that are not negative, rounded half up. */
function rounded(dividend: bigint, divisor: bigint): number {
  return Number((2n * dividend + divisor) / (2n * divisor));
}

/**
 * The credit for the part of a paid span that is left at `now`. Returned amounts are deducted; the credit is never
 * negative, so that amounts returned beyond it are not charged again.
 */
function creditOf(span: PaidSpan, now: Date): number {
  return Math.max(0, unusedShare(span.planAmount, span, now) - span.returned);
}

/** The amount that a change of paid spans to `newAmount` at `now` adds to the next charge; negative for a credit. */
export function proratedDifference(spans: readonly PaidSpan[], newAmount: number, now: Date): number {
  return spans.reduce((sum, span) => sum + unusedShare(newAmount, span, now) - creditOf(span, now), 0);
}

/** The credit when a new billing interval starts at `now`: the unused part of everything paid and not returned. */
export function unusedCredit(spans: readonly PaidSpan[], now: Date): number {
  return spans.reduce((sum, span) => sum + creditOf(span, now), 0);
}

/**
 * What a change of price at `now` adds to an unpaid span: the part before costs the old price and the rest the new one,
 * and their sum is rounded once.
 */
export function unpaidDifference(span: Span, newAmount: number, now: Date): number {
  const { whole, left } = partsOf(span, now);
  const old = BigInt(span.planAmount);
  return rounded(old * (whole - left) + BigInt(newAmount) * left, whole) - Number(old);
}

/** The amount to charge for a period and the balance left after it. A positive balance is owed, a negative credited. */
export function chargeWithBalance(
  planAmount: number,
  balance: number,
  chargeMax: number,
): { amount: number; balance: number } {
  const amount = Math.min(Math.max(planAmount + balance, 0), chargeMax);
  return { amount, balance: planAmount + balance - amount };
}

/** The position of a period among the periods of its subscription. */
export type PeriodSlot = Pick<PeriodRow, 'index' | 'startsAt' | 'endsAt' | 'anchorAt' | 'cycle'>;

function billingIntervalOf({
  interval,
  intervalCount,
}: Pick<SubscriptionRow, 'interval' | 'intervalCount'>): BillingInterval {
  return { interval: interval as Interval, intervalCount }; // a CHECK constraint holds the column to the enum
}

/** The period that starts when the current one ends. */
export function periodAfter(subscription: SubscriptionRow): PeriodSlot {
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
export function firstSlotFrom(subscription: SubscriptionRow, anchorAt: Date): PeriodSlot {
  return {
    index: subscription.periodIndex + 1,
    startsAt: anchorAt,
    endsAt: periodBoundaryAt(anchorAt, billingIntervalOf(subscription), 1),
    anchorAt,
    cycle: 0,
  };
}

/** The period after one that is not opened. It has its own index, so that both count from the same anchor. */
export function nextSlot(
  subscription: Pick<SubscriptionRow, 'interval' | 'intervalCount'>,
  { index, endsAt: startsAt, anchorAt, cycle }: PeriodSlot,
): PeriodSlot {
  const endsAt = periodBoundaryAt(anchorAt, billingIntervalOf(subscription), cycle + 2);
  return { index: index + 1, startsAt, endsAt, anchorAt, cycle: cycle + 1 };
}

/** How long the call that opens a period has to start its charge. After that the job starts it. */
export const startMs = 30_000;

/** Writes the row of a period that is to be charged. */
export function addPeriod(
  { tx, now }: Write,
  subscription: SubscriptionRow,
  place: PeriodSlot,
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
  // A declined charge before the start of the period has left a row, which is reused.
  return tx.subscriptionPeriod.upsert({
    where: { subscriptionId_index: { subscriptionId, index: place.index } },
    create: { subscriptionId, partnerId, platformAccountId, mode, currency, ...opened, attempts: 1, createdAt: now },
    update: { ...opened, attempts: { increment: 1 } },
  });
}

export async function updatePeriod(
  { tx, now }: Write,
  { subscriptionId, index }: Pick<PeriodRow, 'subscriptionId' | 'index'>,
  data: Prisma.SubscriptionPeriodUncheckedUpdateInput,
  onlyIf: { status?: string } = {},
): Promise<void> {
  await tx.subscriptionPeriod.update({
    where: { subscriptionId_index: { subscriptionId, index }, ...onlyIf },
    data: { ...data, updatedAt: now },
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
