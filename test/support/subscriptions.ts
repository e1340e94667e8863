import { expireChallenges } from '../../src/domains/payments/expire-challenges.ts';
import { resolveUnknownPayments } from '../../src/domains/payments/resolve-unknown-payments.ts';
import { runDueSubscriptions } from '../../src/domains/subscriptions/jobs.ts';
import type { manualClock } from '../../src/kit/clock.ts';
import type { TestPlatform } from './platform.ts';
import type { SeededAccount } from './seed.ts';

export const dayMs = 86_400_000;

/** Advances time: the jobs run at each time at which a subscription has something due. */
export async function passTo(
  { services }: TestPlatform,
  clock: ReturnType<typeof manualClock>,
  to: Date,
): Promise<void> {
  for (;;) {
    const { rows } = await services.pool.query<{ at: Date | null }>(
      'SELECT least((SELECT min("dueAt") FROM subscriptions), (SELECT min("actionExpiresAt") FROM payments ' +
        'WHERE "subStatus" = \'requires_action\')) AS at',
    );
    const at = rows[0]?.at;
    if (!at || at > to) break;
    if (at > clock.now()) clock.set(at);
    await resolveUnknownPayments(services);
    await expireChallenges(services);
    await runDueSubscriptions(services);
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

/**
 * The charges of a subscription, oldest first, as `amount status`. On a fixed clock, charges of several periods are
 * created at the same time.
 */
export async function chargesOf({ services }: TestPlatform, subscriptionId: string): Promise<string[]> {
  const payments = await services.prisma.payment.findMany({
    where: { subscriptionId },
    orderBy: [{ createdAt: 'asc' }, { subscriptionPeriod: 'asc' }, { id: 'asc' }],
  });
  return payments.map(({ amount, status }) => `${amount} ${status}`);
}

/** The event types of a subscription, without their prefix; fails if their sequence has a gap. */
export async function eventsOf({ services }: TestPlatform, subscriptionId: string): Promise<string[]> {
  const events = await services.prisma.event.findMany({
    where: { objectId: subscriptionId },
    orderBy: { sequence: 'asc' },
  });
  if (events.some(({ sequence }, index) => sequence !== index + 1))
    throw new Error(`The sequence has a gap: ${events.map(({ sequence }) => sequence).join(', ')}`);
  return events.map(({ type }) => type.replace('subscription/', ''));
}
