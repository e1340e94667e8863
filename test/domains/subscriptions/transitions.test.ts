import { expect, test } from 'vitest';
import {
  type SubscriptionStatus,
  subscriptionTransitions,
} from '../../../src/domains/subscriptions/subscription/lifecycle.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';
import { eventsOf, expectOneEventATransition, passTo, priceOf } from '../../support/subscriptions.ts';

const clock = manualClock(new Date('2026-01-31T10:00:00.000Z'));

const platform = await usePlatform({ clock });
const account = await (await seedPartner(platform)).account();
const priceId = await priceOf(account);

const soft = '4000000000009995';
const hard = '4000000000009987';
const read = (id: string) => account.api.ok(`/subscriptions/${id}`);
const call = (what: string, subscriptionId: string, more: object = {}) =>
  account.api.ok(`/subscriptions/${what}`, { subscriptionId, ...more });

async function subscribe(card: string, more: object = {}): Promise<string> {
  const { customerId } = await account.instrument(card);
  return (await account.api.ok('/subscriptions/create', { customerId, priceId, ...more })).id;
}

async function useCard(id: string, cardNumber: string): Promise<void> {
  const { customerId } = await read(id);
  const { token } = await account.api.ok('/payment-instruments/tokenize', {
    cardNumber,
    expMonth: 12,
    expYear: 2039,
    cvc: '123',
  });
  const { paymentInstrument } = await account.api.ok('/payment-instruments/create-from-token', { token, customerId });
  await call('update', id, { paymentInstrumentId: paymentInstrument.id });
}

/** To the last moment of the period, when its end has been announced. */
async function toPeriodEnd(id: string, before = 0): Promise<void> {
  await passTo(platform, clock, new Date(new Date((await read(id)).currentPeriodEnd).getTime() - before));
}

/** A subscription of each status. */
const inStatus: Record<Exclude<SubscriptionStatus, 'canceled'>, () => Promise<string>> = {
  incomplete: () => subscribe('tok_visa_declined'),
  trialing: () => subscribe('tok_visa', { trialDays: 2 }),
  active: () => subscribe('tok_visa'),
  past_due: async () => {
    const id = await subscribe('tok_visa', { trialDays: 1 });
    await useCard(id, soft);
    await call('rebill', id);
    return id;
  },
  paused: async () => {
    const id = await subscribe('tok_visa');
    await call('pause', id);
    return id;
  },
};

/** What has to be so before each trigger, and the trigger. A charge of an active subscription is its renewal. */
const triggers: Record<string, { prepare?: (id: string) => Promise<void>; pull: (id: string) => Promise<unknown> }> = {
  charged: { prepare: (id) => ready(id, '4242424242424242'), pull: charge },
  declined: { prepare: (id) => ready(id, soft), pull: charge },
  declinedForGood: { prepare: (id) => ready(id, hard), pull: charge },
  paused: { pull: (id) => call('pause', id) },
  resumed: { pull: (id) => call('resume', id) },
  canceled: { pull: (id) => call('cancel', id) },
};

async function ready(id: string, card: string): Promise<void> {
  await useCard(id, card);
  if ((await read(id)).status === 'active') await toPeriodEnd(id, 1);
}

async function charge(id: string): Promise<unknown> {
  return (await read(id)).status === 'active' ? toPeriodEnd(id) : call('rebill', id);
}

/** The event of a transition: that of the new status, or that of the charge if the status stays. */
const eventOfStatus: Readonly<Record<string, string>> = {
  active: 'activated',
  past_due: 'pastDue',
  paused: 'paused',
  canceled: 'canceled',
};
function eventOf(from: string, to: string, trigger: string): string {
  if (trigger === 'resumed') return 'resumed';
  return (
    (from === to ? undefined : eventOfStatus[to]) ?? (trigger === 'charged' ? 'rebillSucceeded' : 'rebillDeclined')
  );
}

const transitions = Object.entries(subscriptionTransitions).flatMap(([from, by]) =>
  Object.entries(by).map(([trigger, to]) => ({ from: from as keyof typeof inStatus, trigger, to })),
);

test.each(transitions)('one event: $from, $trigger, $to', async ({ from, trigger, to }) => {
  const id = await inStatus[from]();
  const { prepare, pull } = triggers[trigger] ?? {};
  await prepare?.(id);
  expect((await read(id)).status).toBe(from);
  const before = await eventsOf(platform, id);
  await pull?.(id);
  expect((await read(id)).status).toBe(to);
  expect((await eventsOf(platform, id)).slice(before.length)).toEqual([eventOf(from, to, trigger)]);
  await expectOneEventATransition(platform);
  if (to !== 'canceled') await call('cancel', id);
});
