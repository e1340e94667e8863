import { amountMax } from '../../../graph/scalars/amounts.ts';
import { type Write, write } from '../../../unit-of-work/write.ts';
import { withScheduledTerms } from '../changes/price.ts';
import { applyPeriodOutcome } from '../periods/open-period.ts';
import { chargeWithBalance, firstSlotFrom, nextSlot, type PeriodSlot, periodAfter } from '../periods/periods.ts';
import { type ActorContext, lockOrSkip, save, writerOf } from '../subscription/rows.ts';
import type { SubscriptionRow } from '../types.ts';
import { chargingStatusWithin, type DueCharge, deferredReasonOf, recordDeferred } from './deferred-charges.ts';

const hourMs = 3_600_000;
/** The activation of an account or partner makes its subscriptions due immediately. This is for a missed one. */
const askAgainMs = 6 * hourMs;
/** After a final status, only further periods are recorded. */
const askAgainFinalMs = 30 * 24 * hourMs;
/** For periods that fell due together. */
const rowsMax = 500;

/**
 * Postpones the charge of a subscription that is due while its account may not charge, without a failed attempt, and
 * records every charge that fell due meanwhile (docs/contract/12-subscriptions.md).
 */
export async function deferCharge(by: ActorContext, subscriptionId: string): Promise<void> {
  await write(writerOf(by), 'deferCharge', async (change) => {
    const { tx, now } = change;
    const subscription = await lockOrSkip(tx, subscriptionId);
    if (!subscription || subscription.status === 'canceled') return;
    // A first charge is not made up for, since the customer may be gone. The subscription stays incomplete until it
    // expires.
    if (subscription.status === 'incomplete') return closeFirstCharge(change, subscription);
    const reason = deferredReasonOf(await chargingStatusWithin(tx, subscription));
    const due = await dueCharges(change, subscription);
    const [first] = due;
    // The account is active again, or the subscription was changed: the job runs it immediately.
    if (reason === null || !first) return void (await save(change, subscription, { dueAt: now }, null));
    await recordDeferred(change, subscription, due, reason);
    const isFinal = reason === 'partner_offboarded' || reason === 'account_closed';
    await save(
      change,
      subscription,
      {
        deferredSince: subscription.deferredSince ?? first.dueAt,
        dueAt: new Date(now.getTime() + (isFinal ? askAgainFinalMs : askAgainMs)),
      },
      null,
    );
  });
}

async function closeFirstCharge(change: Write, subscription: SubscriptionRow): Promise<void> {
  const { id: subscriptionId } = subscription;
  const period = await change.tx.subscriptionPeriod.findFirst({ where: { subscriptionId, status: 'charging' } });
  if (period)
    await applyPeriodOutcome(change, subscription, period, { paid: false, paymentId: null, failureCode: null });
}

/** The charges that are due, the oldest first: an open one, a retry, or one for each period that has begun. */
async function dueCharges(change: Write, subscription: SubscriptionRow): Promise<DueCharge[]> {
  const { tx, now } = change;
  const { id: subscriptionId, status, chargingSince, nextRetryAt, currentPeriodEnd, resumeAt } = subscription;
  if (chargingSince !== null || status === 'past_due') {
    const period = await tx.subscriptionPeriod.findFirst({
      where: { subscriptionId, status: chargingSince === null ? 'failed' : 'charging' },
      orderBy: { index: 'desc' },
    });
    const dueAt = chargingSince ?? nextRetryAt;
    return period && dueAt ? [{ dueAt, amount: Number(period.amount) }] : [];
  }
  const next = await withScheduledTerms(change, subscription);
  if (status === 'active') {
    const isChanged = next !== subscription;
    return begun(next, isChanged ? firstSlotFrom(next, currentPeriodEnd) : periodAfter(subscription), now);
  }
  if (status === 'trialing') return begun(subscription, firstSlotFrom(subscription, currentPeriodEnd), now);
  return status === 'paused' && resumeAt ? begun(next, firstSlotFrom(next, resumeAt), now) : [];
}

function begun(subscription: SubscriptionRow, first: PeriodSlot, now: Date): DueCharge[] {
  const due: DueCharge[] = [];
  for (let place = first; place.startsAt <= now && due.length < rowsMax; place = nextSlot(subscription, place)) {
    const balance = due.length === 0 ? Number(subscription.balance) : 0;
    due.push({
      dueAt: place.startsAt,
      amount: chargeWithBalance(Number(subscription.amount), balance, amountMax).amount,
    });
  }
  return due;
}
