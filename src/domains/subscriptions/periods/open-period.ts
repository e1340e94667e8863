import { assertMayCharge } from '../../../auth/charging-status.ts';
import { amountMax } from '../../../graph/scalars/amounts.ts';
import { newId } from '../../../lib/ids.ts';
import type { Write } from '../../../unit-of-work/write.ts';
import { applyChange, dropChange } from '../changes/price.ts';
import { chargingStatusWithin, endDeferred, endDeferredBefore } from '../deferred/deferred-charges.ts';
import { actionAfter, nextStatus, retryAfter } from '../subscription/lifecycle.ts';
import { paysForChange } from '../subscription/object.ts';
import { end, save } from '../subscription/rows.ts';
import type { PeriodRow, SubscriptionRow } from '../types.ts';
import {
  addPeriod,
  chargeWithBalance,
  enterPeriod,
  nextSlot,
  type PeriodSlot,
  startMs,
  updatePeriod,
} from './periods.ts';

/** The outcome of the charge of a period. */
type ChargeOutcome =
  | { paid: true; paymentId: string | null }
  | { paid: false; paymentId: string | null; failureCode: string | null };

/**
 * Records the outcome of the charge of a period and updates the subscription. A transition has one event: that of the
 * new status, or that of the charge if the status stays.
 */
export async function applyPeriodOutcome(
  change: Write,
  subscription: SubscriptionRow,
  period: PeriodRow,
  outcome: ChargeOutcome,
): Promise<SubscriptionRow> {
  const closed: ChargeEnd = {
    chargingSince: null,
    payingInstrumentId: null,
    ...(outcome.paymentId !== null && { latestPaymentId: outcome.paymentId }),
  };
  const isChange = paysForChange(subscription, period);
  if (isChange && outcome.paid) return applyChange(change, subscription, period, closed);
  await updatePeriod(change, period, { status: outcome.paid ? 'paid' : 'failed' });
  // A change that was not paid leaves the subscription unchanged.
  if (isChange) return dropChange(change, subscription, { chargingSince: null });
  // A deferred charge that was opened has been made.
  if (subscription.chargingSince) await endDeferred(change, subscription, 'charged', subscription.chargingSince);
  // Canceled while the charge was in progress: a paid charge stays paid, and the subscription stays canceled.
  if (subscription.status === 'canceled') return save(change, subscription, closed, null);
  return outcome.paid
    ? applyPaidCharge(change, subscription, period, closed)
    : applyFailedCharge(change, subscription, period, closed, outcome.failureCode);
}

type ChargeEnd = { chargingSince: null; payingInstrumentId: null; latestPaymentId?: string };

function applyPaidCharge(
  change: Write,
  subscription: SubscriptionRow,
  period: PeriodRow,
  closed: ChargeEnd,
): Promise<SubscriptionRow> {
  const { status, deferredSince } = subscription;
  return save(
    change,
    subscription,
    {
      ...closed,
      deferredSince: period.endsAt > change.now ? null : deferredSince,
      ...enterPeriod(subscription, period, change.now),
      // The card with which the cardholder paid is charged from then on.
      paymentInstrumentId: subscription.payingInstrumentId ?? subscription.paymentInstrumentId,
      status: statusAfter(status, 'charged'),
      firstFailedAt: null,
      nextRetryAt: null,
    },
    status === 'active' ? 'subscription/rebillSucceeded' : 'subscription/activated',
  );
}

async function applyFailedCharge(
  change: Write,
  subscription: SubscriptionRow,
  period: PeriodRow,
  closed: ChargeEnd,
  failureCode: string | null,
): Promise<SubscriptionRow> {
  const { status } = subscription;
  if (status === 'incomplete') return save(change, subscription, closed, 'subscription/rebillDeclined');
  // Declined before the start of the period: the period is charged at its start, with the balance it included.
  if (period.startsAt > change.now)
    return save(
      change,
      subscription,
      { ...closed, balance: Number(subscription.balance) + Number(period.amount) - Number(period.planAmount) },
      'subscription/rebillDeclined',
    );
  if (subscription.payingInstrumentId !== null)
    return applyCardholdersFailure(change, subscription, closed, failureCode);
  const firstFailedAt = subscription.firstFailedAt ?? change.now;
  const nextRetryAt = retryAfter(failureCode, firstFailedAt, change.now);
  const changes = { ...closed, ...enterPeriod(subscription, period, change.now), firstFailedAt };
  if (nextRetryAt === null) return end(change, subscription, 'payment_failed', changes);
  const after = await save(
    change,
    subscription,
    { ...changes, status: statusAfter(status, 'declined'), nextRetryAt },
    status === 'past_due' ? 'subscription/rebillDeclined' : 'subscription/pastDue',
  );
  return requireAction(change, after, failureCode);
}

/**
 * A failed charge that the cardholder started, whatever the reason, neither ends the subscription nor moves its
 * retries. A retry that fell due meanwhile is made immediately.
 */
async function applyCardholdersFailure(
  change: Write,
  subscription: SubscriptionRow,
  closed: ChargeEnd,
  failureCode: string | null,
): Promise<SubscriptionRow> {
  const isOwnCard = subscription.payingInstrumentId === subscription.paymentInstrumentId;
  const after = await save(change, subscription, closed, 'subscription/rebillDeclined');
  return isOwnCard ? requireAction(change, after, failureCode) : after;
}

/**
 * Sets the action that the failure requires of the cardholder, unless it is already set: a separate change with its own
 * event.
 */
async function requireAction(
  change: Write,
  subscription: SubscriptionRow,
  failureCode: string | null,
): Promise<SubscriptionRow> {
  const actionReason = actionAfter(failureCode);
  return actionReason === null || actionReason === subscription.actionReason
    ? subscription
    : save(change, subscription, { actionReason }, 'subscription/actionRequired');
}

function statusAfter(status: string, trigger: 'charged' | 'declined'): string {
  const next = nextStatus(status, trigger);
  if (!next) throw new Error(`A subscription that is ${status} cannot be ${trigger}.`);
  return next;
}

/**
 * Opens a period for its charge, within a database transaction of the caller. The row contains the id of the payment
 * before a processor is called, so that the payment is made once, even if several processes charge the period. 403 if
 * the account may not charge. Periods that ended before a deferred charge could be made are skipped.
 */
export async function openPeriod(
  change: Write,
  subscription: SubscriptionRow,
  planned: PeriodSlot,
): Promise<SubscriptionRow> {
  const { tx, now } = change;
  assertMayCharge(await chargingStatusWithin(tx, subscription));
  let place = planned;
  if (subscription.deferredSince !== null) while (place.endsAt <= now) place = nextSlot(subscription, place);
  await endDeferredBefore(change, subscription, place);
  const { amount, balance } = chargeWithBalance(Number(subscription.amount), Number(subscription.balance), amountMax);
  const paymentId = amount === 0 ? null : newId('pay_', now);
  const period = await addPeriod(change, subscription, place, { amount, paymentId });
  const charging = await save(
    change,
    subscription,
    { balance, chargingSince: now, deferredSince: null, dueAt: new Date(now.getTime() + startMs) },
    null,
  );
  return amount === 0 ? applyPeriodOutcome(change, charging, period, { paid: true, paymentId: null }) : charging;
}

/**
 * Opens a period again after its charge failed. The retry is a new payment. `deferredSince` is kept, so that the
 * periods that ended before a deferred retry could be made are skipped too. If the cardholder pays with a card on the
 * hosted page, the retry is initiated by the cardholder.
 */
export async function reopenPeriod(
  change: Write,
  subscription: SubscriptionRow,
  payingInstrumentId: string | null = null,
): Promise<SubscriptionRow> {
  const { tx, now } = change;
  assertMayCharge(await chargingStatusWithin(tx, subscription));
  await endDeferred(change, subscription, 'charged');
  const index = Math.max(1, subscription.periodIndex);
  await updatePeriod(
    change,
    { subscriptionId: subscription.id, index },
    { status: 'charging', paymentId: newId('pay_', now), attempts: { increment: 1 } },
    { status: 'failed' },
  );
  const dueAt = new Date(now.getTime() + startMs);
  return save(change, subscription, { chargingSince: now, payingInstrumentId, dueAt }, null);
}
