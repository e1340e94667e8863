import { amountMax } from '../../graph/scalars/amounts.ts';
import { newId } from '../../kit/ids.ts';
import type { Write } from '../../write/write.ts';
import type { Interval } from '../products/public.ts';
import { applyPeriodOutcome } from './apply-period-outcome.ts';
import { type BillingInterval, chargeWithBalance, periodBoundaryAt } from './periods.ts';
import { save } from './subscription-rows.ts';
import type { PeriodRow, SubscriptionRow } from './types.ts';

/** The position of a period among the periods of its subscription. */
type PeriodPlace = Pick<PeriodRow, 'index' | 'startsAt' | 'endsAt' | 'anchorAt' | 'cycle'>;

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

/** How long the call that opens a period has to start its charge. After that the job starts it. */
const startMs = 30_000;

/**
 * Opens a period for its charge, within a database transaction of the caller. The row contains the id of the payment
 * before a processor is called, so that the payment is made once, even if several processes charge the period.
 */
export async function openPeriod(
  change: Write,
  subscription: SubscriptionRow,
  place: PeriodPlace,
): Promise<SubscriptionRow> {
  const { tx, now } = change;
  const { id: subscriptionId, partnerId, platformAccountId, mode, currency } = subscription;
  const planAmount = Number(subscription.amount);
  const { amount, balance } = chargeWithBalance(planAmount, Number(subscription.balance), amountMax);
  const opened = {
    ...place,
    planAmount,
    amount,
    status: 'charging',
    paymentId: amount === 0 ? null : newId('pay_', now),
    updatedAt: now,
  };
  // A declined charge before the start of the period has left a row, which is used again.
  const period = await tx.subscriptionPeriod.upsert({
    where: { subscriptionId_index: { subscriptionId, index: place.index } },
    create: { subscriptionId, partnerId, platformAccountId, mode, currency, ...opened, attempts: 1, createdAt: now },
    update: { ...opened, attempts: { increment: 1 } },
  });
  const charging = await save(
    change,
    subscription,
    { balance, chargingSince: now, dueAt: new Date(now.getTime() + startMs) },
    null,
  );
  return amount === 0 ? applyPeriodOutcome(change, charging, period, { paid: true, paymentId: null }) : charging;
}

/** Opens a period again after its charge failed. The retry is a new payment. */
export async function reopenPeriod(change: Write, subscription: SubscriptionRow): Promise<SubscriptionRow> {
  const { tx, now } = change;
  const index = Math.max(1, subscription.periodIndex);
  await tx.subscriptionPeriod.update({
    where: { subscriptionId_index: { subscriptionId: subscription.id, index }, status: 'failed' },
    data: { status: 'charging', paymentId: newId('pay_', now), attempts: { increment: 1 }, updatedAt: now },
  });
  return save(change, subscription, { chargingSince: now, dueAt: new Date(now.getTime() + startMs) }, null);
}
