import { assertMayCharge } from '../../auth/standing.ts';
import { amountMax } from '../../graph/scalars/amounts.ts';
import { newId } from '../../kit/ids.ts';
import type { Write } from '../../write/write.ts';
import { applyPeriodOutcome } from './apply-period-outcome.ts';
import { addPeriod, type PeriodPlace, placeAfter, startMs } from './period-rows.ts';
import { chargeWithBalance } from './periods.ts';
import { save } from './subscription-rows.ts';
import type { SubscriptionRow } from './types.ts';
import { endWithheld, endWithheldBefore, standingWithin } from './withheld-charges.ts';

/**
 * Opens a period for its charge, within a database transaction of the caller. The row contains the id of the payment
 * before a processor is called, so that the payment is made once, even if several processes charge the period. 403 if
 * the account may not charge. Periods that were over before a withheld charge could be made are left out.
 */
export async function openPeriod(
  change: Write,
  subscription: SubscriptionRow,
  planned: PeriodPlace,
): Promise<SubscriptionRow> {
  const { tx, now } = change;
  assertMayCharge(await standingWithin(tx, subscription));
  let place = planned;
  if (subscription.withheldSince !== null) while (place.endsAt <= now) place = placeAfter(subscription, place);
  await endWithheldBefore(change, subscription, place);
  const { amount, balance } = chargeWithBalance(Number(subscription.amount), Number(subscription.balance), amountMax);
  const paymentId = amount === 0 ? null : newId('pay_', now);
  const period = await addPeriod(change, subscription, place, { amount, paymentId });
  const charging = await save(
    change,
    subscription,
    { balance, chargingSince: now, withheldSince: null, dueAt: new Date(now.getTime() + startMs) },
    null,
  );
  return amount === 0 ? applyPeriodOutcome(change, charging, period, { paid: true, paymentId: null }) : charging;
}

/**
 * Opens a period again after its charge failed. The retry is a new payment. `withheldSince` stays, so that the periods
 * that were over before a withheld retry could be made are left out, too. With a card of the cardholder, who pays on the
 * hosted page, the retry is the cardholder's.
 */
export async function reopenPeriod(
  change: Write,
  subscription: SubscriptionRow,
  payingInstrumentId: string | null = null,
): Promise<SubscriptionRow> {
  const { tx, now } = change;
  assertMayCharge(await standingWithin(tx, subscription));
  await endWithheld(change, subscription, 'charged');
  const index = Math.max(1, subscription.periodIndex);
  await tx.subscriptionPeriod.update({
    where: { subscriptionId_index: { subscriptionId: subscription.id, index }, status: 'failed' },
    data: { status: 'charging', paymentId: newId('pay_', now), attempts: { increment: 1 }, updatedAt: now },
  });
  const dueAt = new Date(now.getTime() + startMs);
  return save(change, subscription, { chargingSince: now, payingInstrumentId, dueAt }, null);
}
