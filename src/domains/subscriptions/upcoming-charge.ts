import type pg from 'pg';
import { standingOf } from '../../auth/standing.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { amountMax } from '../../graph/scalars/amounts.ts';
import { chargeWithBalance } from './periods.ts';
import type { SubscriptionRow } from './types.ts';
import { type WithheldReason, withheldReasonOf } from './withheld-charges.ts';

/** The next charge of a subscription, as it would be made if nothing changed until then. */
export interface UpcomingCharge {
  dueAt: Date;
  /** Minor units of `currency`, 0 if a credit covers it. */
  amount: number;
  currency: string;
  isRetry: boolean;
  /** Why it would not be made now; null if it would. */
  withheldReason: WithheldReason | null;
}

/** The next charge of a subscription; null if none is scheduled. */
export async function upcomingChargeOf(
  { pool, prisma }: { pool: pg.Pool; prisma: PrismaClient },
  subscription: SubscriptionRow,
): Promise<UpcomingCharge | null> {
  const { nextBillingDate: dueAt, currency, platformAccountId, status } = subscription;
  if (dueAt === null) return null;
  const isRetry = status === 'past_due';
  const [amount, standing] = await Promise.all([
    isRetry ? amountOfFailed(prisma, subscription) : amountOfNext(prisma, subscription),
    standingOf(pool, platformAccountId),
  ]);
  return { dueAt, amount, currency, isRetry, withheldReason: withheldReasonOf(standing) };
}

/** A retry charges what the period was opened with. */
async function amountOfFailed(prisma: PrismaClient, { id, periodIndex }: SubscriptionRow): Promise<number> {
  const where = { subscriptionId_index: { subscriptionId: id, index: Math.max(1, periodIndex) } };
  const period = await prisma.subscriptionPeriod.findUniqueOrThrow({ where });
  return Number(period.amount);
}

/** The price of the next period, that of a change scheduled for it included, with what is carried over. */
async function amountOfNext(prisma: PrismaClient, subscription: SubscriptionRow): Promise<number> {
  const { pendingPriceId, pendingPaymentId, pendingQuantity, quantity, balance } = subscription;
  const scheduled =
    pendingPriceId === null || pendingPaymentId !== null
      ? null
      : await prisma.price.findUniqueOrThrow({ where: { id: pendingPriceId } });
  const planAmount = scheduled ? Number(scheduled.amount) * (pendingQuantity ?? quantity) : Number(subscription.amount);
  return chargeWithBalance(planAmount, Number(balance), amountMax).amount;
}
