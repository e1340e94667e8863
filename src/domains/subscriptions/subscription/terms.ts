import type pg from 'pg';
import { assertMayCharge, chargingStatusOf } from '../../../auth/charging-status.ts';
import { noSuch, requireRow } from '../../../auth/visible.ts';
import type { PaymentInstrument, Prisma, PrismaClient } from '../../../generated/prisma/client.ts';
import { amountMax } from '../../../graph/scalars/amounts.ts';
import { Conflict, type InputIssue, InvalidInput, invalid } from '../../../lib/errors.ts';
import type { Interval } from '../../products/public.ts';
import { chargingStatusWithin, type DeferredReason, deferredReasonOf } from '../deferred/deferred-charges.ts';
import { chargeWithBalance } from '../periods/periods.ts';
import type { SubscriptionRow } from '../types.ts';

/** The price of a subscription and the amount of a period. */
export interface Plan {
  price: { id: string; currency: string; interval: Interval; intervalCount: number; trialDays: number | null };
  amount: number;
}

/** The plan of a recurring price of the customer's store; 404 or 400 if the price cannot be used. */
export async function planFor(
  tx: Prisma.TransactionClient,
  tenant: Pick<SubscriptionRow, 'partnerId' | 'platformAccountId' | 'mode' | 'storeId'>,
  { priceId, quantity }: { priceId: string; quantity: number },
): Promise<Plan> {
  const { partnerId, platformAccountId, mode, storeId } = tenant;
  const price = await requireRow(tx, 'price', { id: priceId, partnerId, platformAccountId, mode });
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
  if (amount > amountMax)
    issues.push({ path: 'quantity', message: `must not exceed a total of ${amountMax} per period` });
  if (issues.length > 0) throw new InvalidInput(issues);
  const { id, currency, trialDays, interval, intervalCount } = price;
  return {
    price: { id, currency, trialDays, interval: interval as Interval, intervalCount: intervalCount ?? 1 },
    amount,
  }; // a CHECK constraint gives every recurring price both
}

export async function assertMayBeCharged(tx: Prisma.TransactionClient, platformAccountId: string): Promise<void> {
  assertMayCharge(await chargingStatusWithin(tx, { platformAccountId }));
}

/** The card to charge: the named one, or the default of the customer. */
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
  if (!instrument) throw noSuch('paymentInstrument', named);
  if (instrument.customerId !== customerId) throw invalid('paymentInstrumentId', "must be one of the customer's");
  if (!instrument.isActive) throw new Conflict('invalid_state', 'The payment instrument is inactive.');
  return instrument;
}

/** The next charge of a subscription, as it would be made if nothing changed until then. */
export interface UpcomingCharge {
  dueAt: Date;
  /** Minor units of `currency`, 0 if a credit covers it. */
  amount: number;
  currency: string;
  isRetry: boolean;
  /** Why it could not be made now; null if it could. */
  deferredReason: DeferredReason | null;
}

/** The next charge of a subscription; null if none is scheduled. */
export async function upcomingChargeOf(
  { pool, prisma }: { pool: pg.Pool; prisma: PrismaClient },
  subscription: SubscriptionRow,
): Promise<UpcomingCharge | null> {
  const { nextBillingDate: dueAt, currency, platformAccountId, status } = subscription;
  if (dueAt === null) return null;
  const isRetry = status === 'past_due';
  const [amount, chargingStatus] = await Promise.all([
    isRetry ? amountOfFailed(prisma, subscription) : amountOfNext(prisma, subscription),
    chargingStatusOf(pool, platformAccountId),
  ]);
  return { dueAt, amount, currency, isRetry, deferredReason: deferredReasonOf(chargingStatus) };
}

/** A retry charges the amount with which the period was opened. */
async function amountOfFailed(prisma: PrismaClient, { id, periodIndex }: SubscriptionRow): Promise<number> {
  const where = { subscriptionId_index: { subscriptionId: id, index: Math.max(1, periodIndex) } };
  const period = await prisma.subscriptionPeriod.findUniqueOrThrow({ where });
  return Number(period.amount);
}

/** The price of the next period, including a change scheduled for it and the amount that is carried over. */
async function amountOfNext(prisma: PrismaClient, subscription: SubscriptionRow): Promise<number> {
  const { pendingPriceId, pendingPaymentId, pendingQuantity, quantity, balance } = subscription;
  const scheduled =
    pendingPriceId === null || pendingPaymentId !== null
      ? null
      : await prisma.price.findUniqueOrThrow({ where: { id: pendingPriceId } });
  const planAmount = scheduled ? Number(scheduled.amount) * (pendingQuantity ?? quantity) : Number(subscription.amount);
  return chargeWithBalance(planAmount, Number(balance), amountMax).amount;
}
