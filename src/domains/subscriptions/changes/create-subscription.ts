import { ownRow } from '../../../auth/visible.ts';
import type { TenantContext } from '../../../call/context.ts';
import type { Customer } from '../../../generated/prisma/client.ts';
import { Conflict, invalid } from '../../../lib/errors.ts';
import { newRow } from '../../../lib/ids.ts';
import type { Write } from '../../../unit-of-work/write.ts';
import { lockCustomerForUse } from '../../customers/public.ts';
import { storeOf } from '../../stores/public.ts';
import { atCustomersTime } from '../../test-clocks/public.ts';
import type { CreateSubscriptionInput } from '../inputs.ts';
import { chargedCall } from '../periods/charge-period.ts';
import { openPeriod } from '../periods/open-period.ts';
import { daysAfter, firstSlotFrom, periodBoundaryAt } from '../periods/periods.ts';
import { add } from '../subscription/rows.ts';
import { assertMayBeCharged, instrumentFor, planFor } from '../subscription/terms.ts';
import type { SubscriptionRow } from '../types.ts';

type Input = typeof CreateSubscriptionInput.$inferInput;

const trialDaysMax = 730;
const perCustomerMax = 500;

/** Creates a subscription that is charged now, after its trial, or at the end of its first period. */
export async function createSubscription(context: TenantContext, input: Input): Promise<SubscriptionRow> {
  if (input.trialDays != null && (input.trialDays < 0 || input.trialDays > trialDaysMax))
    throw invalid('trialDays', `must be from 0 to ${trialDaysMax}`);
  if (input.storeId != null) await storeOf(context, input.storeId);
  return atCustomersTime(context, { customerId: input.customerId }, () =>
    chargedCall(context, 'createSubscription', (change) => addSubscription(context, change, input)),
  );
}

async function addSubscription(context: TenantContext, change: Write, input: Input): Promise<SubscriptionRow> {
  const { tx, now } = change;
  const customer = await customerOf(context, change, input);
  const { price, amount } = await planFor(tx, customer, input);
  const instrument = await instrumentFor(tx, customer, input.paymentInstrumentId);
  await assertMayBeCharged(tx, customer.platformAccountId);

  const { interval, intervalCount } = price;
  const trialDays = input.trialDays ?? price.trialDays ?? 0;
  const chargesNow = trialDays === 0 && input.initiatePayment;
  const trialEndsAt = trialDays > 0 ? daysAfter(now, trialDays) : null;
  const created = await add(change, {
    ...newRow('sub_', customer, now),
    storeId: customer.storeId,
    customerId: customer.id,
    paymentInstrumentId: instrument.id,
    priceId: price.id,
    quantity: input.quantity,
    amount,
    currency: price.currency,
    interval,
    intervalCount,
    status: trialEndsAt ? 'trialing' : chargesNow ? 'incomplete' : 'active',
    trialEndsAt,
    anchorAt: trialEndsAt ?? now,
    currentPeriodStart: now,
    currentPeriodEnd: trialEndsAt ?? periodBoundaryAt(now, { interval, intervalCount }, 1),
    testClockId: customer.testClockId,
    returnUrl: input.returnUrl ?? null,
    metadata: input.metadata ?? {},
    sequence: 0,
  });
  return chargesNow ? openPeriod(change, created, firstSlotFrom(created, now)) : created;
}

/** The customer, locked: otherwise the card could be deleted, or concurrent subscriptions exceed the limit. */
async function customerOf(context: TenantContext, { tx }: Write, { customerId, storeId }: Input): Promise<Customer> {
  const customer = await ownRow(tx, context.tenant, 'customer', customerId);
  if (storeId != null && customer.storeId !== storeId) throw invalid('customerId', 'belongs to another store');
  await lockCustomerForUse(tx, customerId);
  if ((await tx.subscription.count({ where: { customerId, status: { not: 'canceled' } } })) >= perCustomerMax)
    throw new Conflict('limit_reached', `A customer has at most ${perCustomerMax} subscriptions.`);
  return customer;
}
