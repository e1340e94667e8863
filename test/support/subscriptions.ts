import { expect } from 'vitest';
import { expireChallenges } from '../../src/domains/payments/resolution/expire.ts';
import { resolveUnknownPayments } from '../../src/domains/payments/resolution/resolve.ts';
import { runDueSubscriptions } from '../../src/domains/subscriptions/periods/run-subscription.ts';
import type { manualClock } from '../../src/lib/clock.ts';
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

interface Shown {
  status: string;
  cancelAtPeriodEnd: boolean;
  currentPeriodEnd: string;
  latestPaymentId: string | null;
  actionRequired: { reason: string } | null;
}

const stays = (was: Shown, is: Shown) => was.status === is.status;

/** Which event tells of which transition. Each event type belongs to one kind of transition only. */
const tellsOf: Readonly<Record<string, (was: Shown, is: Shown) => boolean>> = {
  activated: (was, is) => ['incomplete', 'trialing', 'past_due'].includes(was.status) && is.status === 'active',
  pastDue: (was, is) => ['trialing', 'active'].includes(was.status) && is.status === 'past_due',
  canceled: (was, is) => was.status !== 'canceled' && is.status === 'canceled',
  paused: (was, is) => was.status === 'active' && is.status === 'paused',
  resumed: (was, is) =>
    was.status === 'paused' ? is.status === 'active' : stays(was, is) && was.cancelAtPeriodEnd && !is.cancelAtPeriodEnd,
  cancelScheduled: (was, is) => stays(was, is) && !was.cancelAtPeriodEnd && is.cancelAtPeriodEnd,
  rebillSucceeded: (was, is) =>
    stays(was, is) &&
    is.status === 'active' &&
    (was.currentPeriodEnd < is.currentPeriodEnd || was.latestPaymentId !== is.latestPaymentId),
  actionRequired: (was, is) =>
    stays(was, is) && is.actionRequired !== null && was.actionRequired?.reason !== is.actionRequired.reason,
  rebillDeclined: (was, is) => stays(was, is) && ['incomplete', 'active', 'past_due'].includes(is.status),
  updated: (was, is) => stays(was, is) && is.status !== 'canceled',
  rebillUpcoming: (was, is) => stays(was, is) && ['active', 'trialing'].includes(is.status),
};

/**
 * Each transition of each subscription has exactly one event: the sequence steps by one, every event tells of a change
 * of its own, and the last one shows the subscription as it is.
 */
export async function expectOneEventATransition({ services: { pool } }: TestPlatform): Promise<void> {
  const { rows } = await pool.query<{ id: string; status: string; sequence: number; events: EventRow[] }>(
    `SELECT s.id, s.status, s.sequence,
      json_agg(json_build_object('type', e.type, 'sequence', e.sequence, 'object', e.data -> 'object')
        ORDER BY e.sequence) AS events
    FROM subscriptions s JOIN events e ON e."objectId" = s.id GROUP BY s.id`,
  );
  const wrong = rows.flatMap(({ id, status, sequence, events }) => {
    const unlike = events.flatMap(({ type, object, sequence: step }, index) => {
      const name = type.replace('subscription/', '');
      const was = events[index - 1]?.object;
      const isOne = was ? tellsOf[name]?.(was, object) : name === 'created';
      return isOne && step === index + 1 ? [] : [`${id} #${step} ${was?.status ?? ''} -> ${object.status}: ${name}`];
    });
    const last = events.at(-1);
    return last?.object.status === status && last.sequence === sequence ? unlike : [...unlike, `${id}: ${status}`];
  });
  expect(wrong).toEqual([]);
}

interface EventRow {
  type: string;
  sequence: number;
  object: Shown;
}
