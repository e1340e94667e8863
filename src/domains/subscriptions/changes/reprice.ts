import { amountMax } from '../../../graph/scalars/amounts.ts';
import type { Write } from '../../../unit-of-work/write.ts';
import { endDeferred } from '../deferred/deferred-charges.ts';
import { applyPeriodOutcome } from '../periods/open-period.ts';
import {
  chargeWithBalance,
  nextSlot,
  periodAfter,
  proratedDifference,
  unpaidDifference,
  updatePeriod,
} from '../periods/periods.ts';
import type { SubscriptionRow } from '../types.ts';
import { paidPeriods } from './price.ts';

/** Gives the paid periods the new amount. Returns the prorated difference. */
export async function repricePaid(change: Write, before: SubscriptionRow, planAmount: number): Promise<number> {
  const { now } = change;
  const inForce = await paidPeriods(change, before, now);
  for (const period of inForce)
    await updatePeriod(change, period, { planAmount, returnedAmount: period.returnedInAll });
  return proratedDifference(inForce, planAmount, now);
}

/**
 * Sets the new amount of the period whose charge has failed, from now on; its next retry charges both parts. Returns
 * what the retry cannot charge, which is a credit if its amount would be negative.
 */
export async function repriceFailed(change: Write, before: SubscriptionRow, planAmount: number): Promise<number> {
  const { tx, now } = change;
  const { id: subscriptionId } = before;
  const where = { subscriptionId_index: { subscriptionId, index: Math.max(1, before.periodIndex) } };
  const period = await tx.subscriptionPeriod.findUniqueOrThrow({ where });
  const difference = unpaidDifference(period, planAmount, now);
  const { amount, balance } = chargeWithBalance(Number(period.amount), difference, amountMax);
  await updatePeriod(change, period, { planAmount, amount });
  return balance;
}

/**
 * The difference, in either direction, between what the periods that have begun while a charge fails owe and the new
 * amount with which they will be opened. After a suspension they are not opened.
 */
export function differenceOfStartedPeriods(
  before: SubscriptionRow,
  planAmount: number,
  now: Date,
  { prorate }: { prorate: boolean },
): number {
  if (before.status !== 'past_due' || before.deferredSince !== null) return 0;
  let sum = 0;
  for (let place = periodAfter(before); place.startsAt <= now; place = nextSlot(before, place)) {
    const ofRest = prorate ? unpaidDifference({ ...place, planAmount: before.amount }, planAmount, now) : 0;
    sum += Number(before.amount) + ofRest - planAmount;
  }
  return sum;
}

/** Ends a failed charge whose amount a change has reduced to nothing: the credit covers the period. */
export async function closeIfCreditCovers(change: Write, subscription: SubscriptionRow): Promise<SubscriptionRow> {
  const { id: subscriptionId } = subscription;
  if (subscription.status !== 'past_due') return subscription;
  const where = { subscriptionId_index: { subscriptionId, index: Math.max(1, subscription.periodIndex) } };
  const period = await change.tx.subscriptionPeriod.findUniqueOrThrow({ where });
  if (Number(period.amount) > 0) return subscription;
  await updatePeriod(change, period, { paymentId: null });
  await endDeferred(change, subscription, 'skipped');
  return applyPeriodOutcome(change, subscription, period, { paid: true, paymentId: null });
}
