import type { Write } from '../kit/write.ts';
import { nextStatus, retryAfter } from './lifecycle.ts';
import { end, save, type SubscriptionEvent } from './subscription-records.ts';
import type { PeriodRow, SubscriptionRow } from './types.ts';

/** How the charge of a period went. `isAbandoned`: nobody answered its challenge. */
export type ChargeEnd =
  | { paid: true; paymentId: string | null }
  | { paid: false; paymentId: string | null; failureCode: string | null; isAbandoned: boolean };

/** Ends the charge of a period, and takes the subscription where that leads. */
export async function settlePeriod(
  change: Write,
  subscription: SubscriptionRow,
  period: PeriodRow,
  ended: ChargeEnd,
): Promise<SubscriptionRow> {
  const { subscriptionId, index } = period;
  await change.tx.subscriptionPeriod.update({
    where: { subscriptionId_index: { subscriptionId, index } },
    data: { status: ended.paid ? 'paid' : 'failed', updatedAt: change.now },
  });
  const over = { chargingSince: null, ...(ended.paymentId !== null && { latestPaymentId: ended.paymentId }) };
  // Canceled while the charge was under way: what was taken stays taken, and nothing follows from it.
  if (subscription.status === 'canceled') return save(change, subscription, over, []);
  if (ended.paid) return paid(change, subscription, period, over);
  return failed(change, subscription, period, over, ended);
}

type Over = { chargingSince: null; latestPaymentId?: string };

function paid(change: Write, subscription: SubscriptionRow, period: PeriodRow, over: Over): Promise<SubscriptionRow> {
  const { status } = subscription;
  const events: SubscriptionEvent[] =
    status === 'active'
      ? ['subscription/rebillSucceeded']
      : status === 'past_due'
        ? ['subscription/rebillSucceeded', 'subscription/activated']
        : ['subscription/activated'];
  return save(
    change,
    subscription,
    {
      ...over,
      ...entered(subscription, period, change.now),
      status: statusAfter(status, 'charged'),
      firstFailedAt: null,
      nextRetryAt: null,
    },
    events,
  );
}

function failed(
  change: Write,
  subscription: SubscriptionRow,
  period: PeriodRow,
  over: Over,
  { failureCode, isAbandoned }: { failureCode: string | null; isAbandoned: boolean },
): Promise<SubscriptionRow> {
  const { status } = subscription;
  if (status === 'incomplete')
    return isAbandoned
      ? end(change, subscription, 'authentication_expired', over)
      : save(change, subscription, over, ['subscription/rebillDeclined']);
  // Declined ahead of its time: the period is charged when it begins, with what was to be settled with it.
  if (period.startsAt > change.now)
    return save(
      change,
      subscription,
      { ...over, balance: Number(subscription.balance) + Number(period.amount) - Number(period.planAmount) },
      ['subscription/rebillDeclined'],
    );
  const firstFailedAt = subscription.firstFailedAt ?? change.now;
  const nextRetryAt = retryAfter(failureCode, firstFailedAt, change.now);
  const changes = { ...over, ...entered(subscription, period, change.now), firstFailedAt };
  if (nextRetryAt === null)
    return end(change, subscription, 'payment_failed', changes, ['subscription/rebillDeclined']);
  return save(
    change,
    subscription,
    { ...changes, status: statusAfter(status, 'declined'), nextRetryAt },
    status === 'past_due' ? ['subscription/rebillDeclined'] : ['subscription/rebillDeclined', 'subscription/pastDue'],
  );
}

/** The subscription's present period becomes this one; paid ahead of its time, it is added to the one that is not over. */
function entered(
  { currentPeriodStart, trialEndsAt, status }: SubscriptionRow,
  { index, startsAt, endsAt, anchorAt, cycle }: PeriodRow,
  now: Date,
) {
  const begun = {
    periodIndex: index,
    anchorAt,
    cycle,
    currentPeriodStart: startsAt > now ? currentPeriodStart : startsAt,
    currentPeriodEnd: endsAt,
  };
  return status === 'trialing' && trialEndsAt && startsAt < trialEndsAt ? { ...begun, trialEndsAt: startsAt } : begun;
}

function statusAfter(status: string, trigger: 'charged' | 'declined'): string {
  const next = nextStatus(status, trigger);
  if (!next) throw new Error(`A subscription that is ${status} cannot be ${trigger}.`);
  return next;
}
