import { tenantOf } from '../auth/tenancy.ts';
import { noSuchCustomer } from '../customers/operations.ts';
import type { Customer, PaymentInstrument, Prisma } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import { amountMax } from '../graph/scalars.ts';
import { noSuchInstrument } from '../instruments/operations.ts';
import { Conflict, Forbidden, type InputIssue, invalid, InvalidInput } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Write } from '../kit/write.ts';
import { noSuchPrice } from '../products/operations.ts';
import type { Interval } from '../products/types.ts';
import { storeOf } from '../stores/operations.ts';
import { atCustomersTime } from '../test-clocks/operations.ts';
import { openPeriod, periodFrom } from './charge-period.ts';
import { chargedCall } from './charged-call.ts';
import { boundaryAt, daysAfter } from './periods.ts';
import type { CreateSubscriptionInput } from './schema.ts';
import { save } from './subscription-records.ts';
import type { SubscriptionRow } from './types.ts';

type Input = typeof CreateSubscriptionInput.$inferInput;

const trialDaysMax = 730;
const perCustomerMax = 500;

/** Subscribes a customer to a price: charged at once, or after the trial, or first at the end of the first period. */
export async function createSubscription(context: KeyContext, input: Input): Promise<SubscriptionRow> {
  if (input.trialDays != null && (input.trialDays < 0 || input.trialDays > trialDaysMax))
    throw invalid('trialDays', `must be from 0 to ${trialDaysMax}`);
  if (context.caller.mode === 'live' && input.returnUrl != null && !input.returnUrl.startsWith('https:'))
    throw invalid('returnUrl', 'must be an https address in live mode');
  if (input.storeId != null) await storeOf(context, input.storeId);
  return atCustomersTime(context, { customerId: input.customerId }, () =>
    chargedCall(context, 'createSubscription', (change) => begin(context, change, input)),
  );
}

async function begin(context: KeyContext, change: Write, input: Input): Promise<SubscriptionRow> {
  const { tx, now } = change;
  const customer = await customerOf(context, change, input);
  const { partnerId, platformAccountId, mode, storeId } = customer;
  const { price, amount } = await pricedFor(tx, customer, input);
  const instrument = await instrumentFor(tx, customer, input.paymentInstrumentId);
  const account = await tx.processingAccount.findUniqueOrThrow({
    where: { id: platformAccountId },
    select: { status: true },
  });
  if (account.status !== 'active')
    throw new Forbidden('account_not_active', 'The account is not active: it cannot charge.');

  const { interval, intervalCount } = price;
  const trialDays = input.trialDays ?? price.trialDays ?? 0;
  const chargesNow = trialDays === 0 && input.initiatePayment;
  const trialEndsAt = trialDays > 0 ? daysAfter(now, trialDays) : null;
  const added = await tx.subscription.create({
    data: {
      id: newId('subscription', now),
      partnerId,
      platformAccountId,
      mode,
      storeId,
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
      currentPeriodEnd: trialEndsAt ?? boundaryAt(now, { interval, intervalCount }, 1),
      testClockId: customer.testClockId,
      returnUrl: input.returnUrl ?? null,
      metadata: (input.metadata ?? {}) as Prisma.InputJsonObject,
      sequence: 0,
      createdAt: now,
      updatedAt: now, // the scalar has checked that metadata is plain JSON
    },
  });
  const created = await save(change, added, {}, ['subscription/created']);
  return chargesNow ? openPeriod(change, created, periodFrom(created, now)) : created;
}

/** Locked, so that no card that is to be charged is removed meanwhile, and of many subscriptions at once none is one too many. */
async function customerOf(context: KeyContext, { tx }: Write, { customerId, storeId }: Input): Promise<Customer> {
  const where = { ...tenantOf(context.caller), id: customerId };
  const customer = await tx.customer.findFirst({ where });
  if (!customer) throw noSuchCustomer();
  if (storeId != null && customer.storeId !== storeId) throw invalid('customerId', 'belongs to another store');
  await tx.$queryRaw`SELECT id FROM customers WHERE id = ${customerId} FOR NO KEY UPDATE`;
  if ((await tx.subscription.count({ where: { customerId, status: { not: 'canceled' } } })) >= perCustomerMax)
    throw new Conflict('limit_reached', `A customer has at most ${perCustomerMax} subscriptions.`);
  return customer;
}

interface Priced {
  price: { id: string; currency: string; interval: Interval; intervalCount: number; trialDays: number | null };
  amount: number;
}

/** A price that can be subscribed to in the customer's store, and what so many of it cost. */
export async function pricedFor(
  tx: Prisma.TransactionClient,
  tenant: Pick<SubscriptionRow, 'partnerId' | 'platformAccountId' | 'mode' | 'storeId'>,
  { priceId, quantity }: { priceId: string; quantity: number },
): Promise<Priced> {
  const { partnerId, platformAccountId, mode, storeId } = tenant;
  const price = await tx.price.findFirst({ where: { id: priceId, partnerId, platformAccountId, mode } });
  if (!price) throw noSuchPrice();
  const store = await tx.store.findUniqueOrThrow({ where: { id: storeId }, select: { chargeCurrencies: true } });
  const amount = Number(price.amount) * quantity;
  const issues: InputIssue[] = [];
  if (!price.recurring) issues.push({ path: 'priceId', message: 'must be a recurring price' });
  if (price.storeId !== storeId) issues.push({ path: 'priceId', message: "must be a price of the customer's store" });
  if (!store.chargeCurrencies.includes(price.currency))
    issues.push({
      path: 'priceId',
      message: `must be in one of the store's charge currencies: ${store.chargeCurrencies.join(', ')}`,
    });
  if (amount > amountMax) issues.push({ path: 'quantity', message: `must come to at most ${amountMax} a period` });
  if (issues.length > 0) throw new InvalidInput(issues);
  const { id, currency, trialDays, interval, intervalCount } = price;
  return {
    price: { id, currency, trialDays, interval: interval as Interval, intervalCount: intervalCount ?? 1 },
    amount,
  }; // a CHECK constraint gives every recurring price both
}

/** The card it is charged to: the one named, or the customer's default. */
export async function instrumentFor(
  tx: Prisma.TransactionClient,
  { id: customerId, platformAccountId }: { id: string; platformAccountId: string },
  named: string | null | undefined,
): Promise<PaymentInstrument> {
  if (named == null) {
    const usual = await tx.paymentInstrument.findFirst({ where: { customerId, isDefault: true } });
    if (!usual) throw invalid('paymentInstrumentId', 'is required: the customer has no default payment instrument');
    return usual;
  }
  const instrument = await tx.paymentInstrument.findFirst({ where: { id: named, platformAccountId } });
  if (!instrument) throw noSuchInstrument();
  if (instrument.customerId !== customerId) throw invalid('paymentInstrumentId', "must be one of the customer's");
  if (!instrument.isActive) throw new Conflict('invalid_state', 'The payment instrument is inactive.');
  return instrument;
}
