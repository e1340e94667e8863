import { amountMax } from '../../../graph/scalars/amounts.ts';
import { newId } from '../../../lib/ids.ts';
import type { Write } from '../../../unit-of-work/write.ts';
import type { Interval } from '../../products/public.ts';
import {
  addPeriod,
  chargeWithBalance,
  enterPeriod,
  firstSlotFrom,
  startMs,
  unusedCredit,
  updatePeriod,
} from '../periods/periods.ts';
import { noPendingUpdate, pendingUntil, pendingUpdateOf } from '../subscription/object.ts';
import { save } from '../subscription/rows.ts';
import type { Plan } from '../subscription/terms.ts';
import type { PeriodRow, SubscriptionRow } from '../types.ts';

/** A paid period that has not ended, and how much of its payment was returned. */
export interface PaidPeriod extends PeriodRow {
  /** The total that was returned. */
  returnedInAll: number;
  /** The part of it that no earlier change has deducted from its credit. */
  returned: number;
}

/** The paid periods of the current anchor that have not ended: the current one, and one that was charged early. */
export async function paidPeriods(
  change: Write,
  { id: subscriptionId, periodIndex, cycle, anchorAt }: SubscriptionRow,
  at: Date,
): Promise<PaidPeriod[]> {
  const paid = await change.tx.subscriptionPeriod.findMany({
    where: { subscriptionId, status: 'paid', endsAt: { gt: at } },
    orderBy: { index: 'asc' },
  });
  // Two anchors may have the same time, but not the same index.
  const inForce = paid.filter(
    (period) => period.anchorAt.getTime() === anchorAt.getTime() && period.index - period.cycle === periodIndex - cycle,
  );
  const returns = await returnsOf(
    change,
    inForce.flatMap(({ paymentId }) => paymentId ?? []),
  );
  return inForce.map((period) => {
    const returnedInAll = returns.get(period.paymentId ?? '') ?? 0;
    return { ...period, returnedInAll, returned: Math.max(0, returnedInAll - Number(period.returnedAmount)) };
  });
}

/** The amounts of payments that were refunded, are being refunded, or were lost in a dispute. */
async function returnsOf({ tx }: Write, paymentIds: string[]): Promise<Map<string, number>> {
  if (paymentIds.length === 0) return new Map();
  const payments = await tx.payment.findMany({
    where: { id: { in: paymentIds } },
    select: {
      id: true,
      currency: true,
      capturedAmount: true,
      refundedAmount: true,
      reservedAmount: true,
      disputes: { where: { status: 'lost' }, select: { amount: true, currency: true } },
    },
  });
  return new Map(
    payments.map(({ id, currency, capturedAmount, refundedAmount, reservedAmount, disputes }) => {
      // An amount in another currency cannot be compared, and counts as the whole payment.
      const lost = disputes.map((dispute) => (dispute.currency === currency ? dispute.amount : capturedAmount));
      return [id, Number(lost.reduce((sum, amount) => sum + amount, refundedAmount + reservedAmount))];
    }),
  );
}

/** The values that a subscription is to have. */
export interface PlannedChange {
  plan: Plan;
  quantity: number;
  /** The card to charge from then on. */
  paymentInstrumentId: string;
}

/** The columns that a change of the plan sets. */
export function termsOf({ plan: { price, amount }, quantity, paymentInstrumentId }: PlannedChange) {
  const { id: priceId, interval, intervalCount } = price;
  return { priceId, quantity, amount, interval, intervalCount, paymentInstrumentId };
}

/**
 * Opens the period with which a subscription changes to another billing interval: from now, less the unused part of
 * what was paid. Until it is paid, nothing else of the subscription changes. The part that the credit covers is not
 * charged.
 */
export async function openChange(
  change: Write,
  before: SubscriptionRow,
  planned: PlannedChange,
): Promise<SubscriptionRow> {
  const { now } = change;
  const changed = { ...before, ...termsOf(planned) };
  const balance = Number(before.balance) - unusedCredit(await paidPeriods(change, before, now), now);
  const charge = chargeWithBalance(planned.plan.amount, balance, amountMax);
  const paymentId = charge.amount === 0 ? null : newId('pay_', now);
  const period = await addPeriod(change, changed, firstSlotFrom(changed, now), { ...charge, paymentId });
  const pending = {
    pendingPriceId: changed.priceId,
    pendingQuantity: changed.quantity,
    pendingInstrumentId: changed.paymentInstrumentId,
  };
  if (paymentId === null) return applyChange(change, { ...before, ...pending }, { ...period, status: 'paid' }, {});
  return save(
    change,
    before,
    {
      ...pending,
      pendingPaymentId: paymentId,
      pendingExpiresAt: pendingUntil(now, before),
      chargingSince: now,
      dueAt: new Date(now.getTime() + startMs),
    },
    null,
  );
}

type ChargeEnd = { chargingSince?: null; payingInstrumentId?: null; latestPaymentId?: string };

/** Applies a pending change: its period is paid, and starts at the time of the call that requested it. */
export async function applyChange(
  change: Write,
  subscription: SubscriptionRow,
  period: PeriodRow,
  closed: ChargeEnd,
): Promise<SubscriptionRow> {
  const credit = unusedCredit(await paidPeriods(change, subscription, period.startsAt), period.startsAt);
  const balance = Number(subscription.balance) - credit + Number(period.planAmount) - Number(period.amount);
  await updatePeriod(change, period, { status: 'paid' });
  return save(
    change,
    subscription,
    {
      ...closed,
      ...enterPeriod(subscription, period, change.now),
      ...(await pendingTerms(change, subscription)),
      ...noPendingUpdate,
      balance,
    },
    'subscription/updated',
  );
}

/** Removes a pending change that was not paid. One that was never shown is removed without an event. */
export function dropChange(
  change: Write,
  subscription: SubscriptionRow,
  closed: { chargingSince: null },
): Promise<SubscriptionRow> {
  const type = pendingUpdateOf(subscription) ? 'subscription/updated' : null;
  return save(change, subscription, { ...closed, ...noPendingUpdate }, type);
}

/** Applies the change that was scheduled for the end of the period, if there is one. */
export async function applyScheduledChange(change: Write, subscription: SubscriptionRow): Promise<SubscriptionRow> {
  if (subscription.pendingPriceId === null) return subscription;
  const terms = await pendingTerms(change, subscription);
  return save(change, subscription, { ...terms, ...noPendingUpdate }, 'subscription/updated');
}

/** A subscription with the terms of the change that is scheduled for the end of its period, if there is one. */
export async function withScheduledTerms(change: Write, subscription: SubscriptionRow): Promise<SubscriptionRow> {
  const { pendingPriceId, pendingPaymentId } = subscription;
  if (pendingPriceId === null || pendingPaymentId !== null) return subscription;
  return { ...subscription, ...(await pendingTerms(change, subscription)) };
}

async function pendingTerms({ tx }: Write, subscription: SubscriptionRow) {
  const { pendingPriceId, pendingQuantity, pendingInstrumentId, paymentInstrumentId } = subscription;
  const quantity = pendingQuantity ?? subscription.quantity;
  const price = await tx.price.findUniqueOrThrow({ where: { id: pendingPriceId ?? subscription.priceId } });
  const { id, currency, trialDays, intervalCount } = price;
  const interval = price.interval as Interval; // a CHECK constraint gives every recurring price both
  const plan = {
    price: { id, currency, trialDays, interval, intervalCount: intervalCount ?? 1 },
    amount: Number(price.amount) * quantity,
  };
  return termsOf({ plan, quantity, paymentInstrumentId: pendingInstrumentId ?? paymentInstrumentId });
}
