import { Temporal } from 'temporal-polyfill';
import type { Interval } from '../products/types.ts';

/**
 * Where periods begin and end. Everything is reckoned in UTC, whatever the clocks of a place do: a day has 24 hours, and a period
 * ends at the time of day it was anchored at. Ends are counted from the anchor and not from one another, so that a subscription
 * of 31 January is billed on the last of February and then on 31 March again.
 */
export interface Rhythm {
  interval: Interval;
  intervalCount: number;
}

/** The moment `cycles` periods after the anchor. */
export function boundaryAt(anchor: Date, { interval, intervalCount }: Rhythm, cycles: number): Date {
  const from = Temporal.Instant.fromEpochMilliseconds(anchor.getTime()).toZonedDateTimeISO('UTC');
  const to = from.add({ [`${interval}s`]: cycles * intervalCount }, { overflow: 'constrain' });
  return new Date(to.epochMilliseconds);
}

const dayMs = 86_400_000;

export function daysAfter(moment: Date, days: number): Date {
  return new Date(moment.getTime() + days * dayMs);
}

/** A span that was paid for, and what was paid for it. */
export interface PaidSpan {
  startsAt: Date;
  endsAt: Date;
  planAmount: number | bigint;
}

/**
 * The share of `amount` that falls to what is left of a span at `now`: to the millisecond, in whole minor units, rounded half up.
 * What is used is the rest, so that the two always sum to the amount.
 */
export function unusedShare(
  amount: number | bigint,
  { startsAt, endsAt }: Omit<PaidSpan, 'planAmount'>,
  now: Date,
): number {
  const whole = BigInt(endsAt.getTime() - startsAt.getTime());
  const left = BigInt(Math.max(0, endsAt.getTime() - Math.max(now.getTime(), startsAt.getTime())));
  return Number((2n * BigInt(amount) * left + whole) / (2n * whole));
}

/** What changing to `newAmount` at `now` adds to the next charge; negative when it is a credit. */
export function proratedDifference(spans: readonly PaidSpan[], newAmount: number, now: Date): number {
  return spans.reduce(
    (sum, span) => sum + unusedShare(newAmount, span, now) - unusedShare(span.planAmount, span, now),
    0,
  );
}

/** What is credited when a new rhythm begins at `now`: all that was paid for and not used. */
export function unusedCredit(spans: readonly PaidSpan[], now: Date): number {
  return spans.reduce((sum, span) => sum + unusedShare(span.planAmount, span, now), 0);
}

/** What of a period's price is charged, given what was owed (positive) or credited (negative) before, and what is left of that. */
export function chargeWithBalance(
  planAmount: number,
  balance: number,
  chargeMax: number,
): { amount: number; balance: number } {
  const amount = Math.min(Math.max(planAmount + balance, 0), chargeMax);
  return { amount, balance: planAmount + balance - amount };
}
