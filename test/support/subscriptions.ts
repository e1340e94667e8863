import type { manualClock } from '../../src/kit/clock.ts';
import { expireChallenges, settleUnknownPayments } from '../../src/payments/jobs.ts';
import { runDueSubscriptions } from '../../src/subscriptions/jobs.ts';
import type { TestPlatform } from './platform.ts';
import type { SeededAccount } from './seed.ts';

export const dayMs = 86_400_000;

/** Lets time pass as it would: the sweeps run at each moment at which a subscription has something due. */
export async function passTo({ env }: TestPlatform, clock: ReturnType<typeof manualClock>, to: Date): Promise<void> {
  for (;;) {
    const { rows } = await env.pool.query<{ at: Date | null }>(
      'SELECT least((SELECT min("dueAt") FROM subscriptions), (SELECT min("actionExpiresAt") FROM payments WHERE "subStatus" = \'requires_action\')) AS at',
    );
    const at = rows[0]?.at;
    if (!at || at > to) break;
    if (at > clock.now()) clock.set(at);
    await settleUnknownPayments(env);
    await expireChallenges(env);
    await runDueSubscriptions(env);
  }
  clock.set(to);
}

/** A recurring price of a new product. */
export async function priceOf(account: SeededAccount, terms: Record<string, unknown> = {}): Promise<string> {
  const { prices } = await account.api.ok('/products/create', {
    storeId: account.storeId,
    name: 'Tea',
    prices: [{ currency: 'USD', amount: 1000, interval: 'month', ...terms }],
  });
  return prices[0].id;
}

/** What a subscription was charged for, the oldest first, as `amount status`. On a clock that stands still charges of several periods are made at one moment. */
export async function chargesOf({ env }: TestPlatform, subscriptionId: string): Promise<string[]> {
  const payments = await env.prisma.payment.findMany({
    where: { subscriptionId },
    orderBy: [{ createdAt: 'asc' }, { subscriptionPeriod: 'asc' }, { id: 'asc' }],
  });
  return payments.map(({ amount, status }) => `${amount} ${status}`);
}

/** The events of a subscription, without what they begin with; fails when their sequence has a gap. */
export async function eventsOf({ env }: TestPlatform, subscriptionId: string): Promise<string[]> {
  const events = await env.prisma.event.findMany({ where: { objectId: subscriptionId }, orderBy: { sequence: 'asc' } });
  if (events.some(({ sequence }, index) => sequence !== index + 1))
    throw new Error(`The sequence has a gap: ${events.map(({ sequence }) => sequence).join(', ')}`);
  return events.map(({ type }) => type.replace('subscription/', ''));
}
