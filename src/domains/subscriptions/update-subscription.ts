import type { KeyContext } from '../../graph/context.ts';
import { invalid } from '../../kit/errors.ts';
import type { Write } from '../../write/write.ts';
import { lockCustomer } from '../customers/public.ts';
import { chargedCall } from './charged-call.ts';
import type { UpdateSubscriptionInput } from './inputs.ts';
import { openPeriod, periodFrom } from './open-period.ts';
import { proratedDifference, unusedCredit } from './periods.ts';
import { atSubscriptionsTime, chargeInProgressError, lockSubscription, save, wrongState } from './subscription-rows.ts';
import { instrumentFor, type Plan, planFor } from './subscription-terms.ts';
import type { PeriodRow, SubscriptionRow } from './types.ts';

/** Changes the price, the quantity or the card of a subscription. */
export function updateSubscription(
  context: KeyContext,
  input: typeof UpdateSubscriptionInput.$inferInput,
): Promise<SubscriptionRow> {
  return atSubscriptionsTime(context, input.subscriptionId, () =>
    chargedCall(context, 'updateSubscription', async (change) => {
      const { tx } = change;
      const before = await lockSubscription(tx, context.caller, input.subscriptionId);
      const { priceId = null, quantity = null, paymentInstrumentId = null } = input;
      const customer = { id: before.customerId, platformAccountId: before.platformAccountId };
      if (paymentInstrumentId !== null) await lockCustomer(tx, before.customerId);
      const instrument = paymentInstrumentId === null ? null : await instrumentFor(tx, customer, paymentInstrumentId);
      const plan =
        priceId === null && quantity === null
          ? null
          : await planFor(tx, before, { priceId: priceId ?? before.priceId, quantity: quantity ?? before.quantity });
      if (plan && plan.price.currency !== before.currency)
        throw invalid('priceId', `must be in the currency of the subscription, ${before.currency}`);
      if (before.status === 'canceled') throw wrongState(before, 'changed');
      if (before.chargingSince !== null) throw chargeInProgressError();
      const card = instrument ? { paymentInstrumentId: instrument.id } : {};
      const changes = { ...card, quantity: quantity ?? before.quantity };
      if (plan && isOther(plan, before, quantity))
        return changePlan(change, before, changes, plan, input.prorate ?? true);
      return instrument && instrument.id !== before.paymentInstrumentId
        ? save(change, before, card, 'subscription/updated')
        : before;
    }),
  );
}

function isOther({ price }: Plan, before: SubscriptionRow, quantity: number | null): boolean {
  return price.id !== before.priceId || (quantity !== null && quantity !== before.quantity);
}

/**
 * With the same billing interval, the prorated difference is added to the balance, which goes with the next charge.
 * With another billing interval a new period starts now and is charged at once, less the unused part of what was paid.
 */
async function changePlan(
  change: Write,
  before: SubscriptionRow,
  changes: { quantity: number; paymentInstrumentId?: string },
  { price, amount }: Plan,
  prorate: boolean,
): Promise<SubscriptionRow> {
  const { now, tx } = change;
  if (before.status === 'incomplete') throw wrongState(before, 'changed to another price or quantity');
  const { id: priceId, interval, intervalCount } = price;
  const planned = { ...changes, priceId, amount, interval, intervalCount };
  const balance = Number(before.balance);
  const inForce = prorate ? await paidPeriods(change, before) : [];
  const isSameBillingInterval = interval === before.interval && intervalCount === before.intervalCount;
  if (isSameBillingInterval || before.status === 'trialing') {
    const { id: subscriptionId } = before;
    for (const { index } of inForce)
      await tx.subscriptionPeriod.update({
        where: { subscriptionId_index: { subscriptionId, index } },
        data: { planAmount: amount, updatedAt: now },
      });
    return save(
      change,
      before,
      { ...planned, balance: balance + proratedDifference(inForce, amount, now) },
      'subscription/updated',
    );
  }
  if (before.status !== 'active') throw wrongState(before, 'changed to another interval');
  const updated = await save(
    change,
    before,
    { ...planned, balance: balance - unusedCredit(inForce, now) },
    'subscription/updated',
  );
  return openPeriod(change, updated, periodFrom(updated, now));
}

/** The paid periods that have not ended: the current one, and one that was charged before its start. */
function paidPeriods({ tx, now }: Write, { id: subscriptionId, anchorAt }: SubscriptionRow): Promise<PeriodRow[]> {
  return tx.subscriptionPeriod.findMany({
    where: { subscriptionId, status: 'paid', anchorAt, endsAt: { gt: now } },
    orderBy: { index: 'asc' },
  });
}
