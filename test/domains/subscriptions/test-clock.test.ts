import { expect, test } from 'vitest';
import { verifyLedger } from '../../../src/domains/ledger/verify-ledger.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';
import { chargesOf, eventsOf, priceOf } from '../../support/subscriptions.ts';

const platform = await usePlatform({ jobs: true });
const account = await (await seedPartner(platform)).account();
const priceId = await priceOf(account);

/** A customer with a card on a separate test clock, subscribed at that clock's time. */
async function subscribed(now: string, card = '4242424242424242', more: Record<string, unknown> = {}) {
  const clock = await account.api.ok('/test-clocks/create', { name: 'Rehearsal', now });
  const { id: customerId } = await account.api.ok('/customers/create', {
    email: `${clock.id}@example.com`.toLowerCase(),
    testClockId: clock.id,
  });
  const { token } = await account.api.ok('/payment-instruments/tokenize', {
    cardNumber: card,
    expMonth: 12,
    expYear: 2039,
    cvc: '123',
  });
  await account.api.ok('/payment-instruments/create-from-token', { token, customerId });
  const subscription = await account.api.ok('/subscriptions/create', { customerId, priceId, ...more });
  const advance = async (to: string) => {
    await account.api.ok(`/test-clocks/${clock.id}/advance`, { to });
    await expect
      .poll(async () => (await account.api.ok(`/test-clocks/${clock.id}`)).status, { timeout: 60_000, interval: 50 })
      .toBe('ready');
  };
  return { clock, customerId, advance, ...subscription };
}
const read = (id: string) => account.api.ok(`/subscriptions/${id}`);

test('a year of a monthly subscription: twelve charges more, in order, each at its month end by the clock', {
  timeout: 90_000,
}, async () => {
  const made = await subscribed('2026-01-31T10:00:00.000Z');
  expect(made).toMatchObject({ status: 'active', createdAt: '2026-01-31T10:00:00.000Z', testClockId: made.clock.id });
  await made.advance('2027-01-31T10:00:00.000Z');
  const { items } = await account.api.ok('/payments', { filters: { subscriptionId: made.id }, pageSize: 20 });
  expect(items.map(({ createdAt }: { createdAt: string }) => createdAt.slice(0, 10)).toReversed()).toEqual([
    '2026-01-31',
    '2026-02-28',
    '2026-03-31',
    '2026-04-30',
    '2026-05-31',
    '2026-06-30',
    '2026-07-31',
    '2026-08-31',
    '2026-09-30',
    '2026-10-31',
    '2026-11-30',
    '2026-12-31',
    '2027-01-31',
  ]);
  expect(await eventsOf(platform, made.id)).toEqual([
    'created',
    'activated',
    ...Array.from({ length: 12 }, () => ['rebillUpcoming', 'rebillSucceeded']).flat(),
  ]);
  const { items: events } = await account.api.ok('/events/list', {
    filters: { objectId: made.id, type: ['subscription/rebillSucceeded'] },
  });
  expect(events.map(({ createdAt }: { createdAt: string }) => createdAt).at(-1)).toBe('2026-02-28T10:00:00.000Z');
});

test('trial end, dunning and cancellation follow the clock', { timeout: 60_000 }, async () => {
  const made = await subscribed('2027-05-01T00:00:00.000Z', '4000000000009995', { trialDays: 14 });
  await made.advance('2027-05-14T00:00:00.000Z');
  expect((await read(made.id)).status).toBe('trialing');
  await made.advance('2027-05-20T00:00:00.000Z');
  expect(await read(made.id)).toMatchObject({ status: 'past_due', nextBillingDate: '2027-05-22T00:00:00.000Z' });
  await made.advance('2027-06-20T00:00:00.000Z');
  expect(await read(made.id)).toMatchObject({ status: 'canceled', canceledAt: '2027-05-22T00:00:00.000Z' });
  expect(await chargesOf(platform, made.id)).toEqual(Array.from({ length: 5 }, () => '1000 declined'));
});

test('a lost answer is resolved before the clock continues, and nothing on a clock renews by real time', {
  timeout: 60_000,
}, async () => {
  const made = await subscribed('2020-01-01T00:00:00.000Z', '4000000000006975');
  await made.advance('2020-03-15T00:00:00.000Z');
  expect(await chargesOf(platform, made.id)).toEqual(['1000 succeeded', '1000 succeeded', '1000 succeeded']);
  expect((await read(made.id)).currentPeriodEnd).toBe('2020-04-01T00:00:00.000Z');
});

test('pause, resume, cancel and rebill happen at the time of the clock', { timeout: 60_000 }, async () => {
  const made = await subscribed('2031-01-01T00:00:00.000Z');
  await made.advance('2031-01-10T00:00:00.000Z');
  expect(
    await account.api.ok('/subscriptions/pause', { subscriptionId: made.id, resumeAt: '2031-03-05T00:00:00.000Z' }),
  ).toMatchObject({ pausedAt: '2031-01-10T00:00:00.000Z' });
  await made.advance('2031-03-06T00:00:00.000Z');
  expect(await read(made.id)).toMatchObject({ status: 'active', currentPeriodStart: '2031-03-05T00:00:00.000Z' });
  expect((await account.api.ok('/subscriptions/rebill', { subscriptionId: made.id })).latestPayment.createdAt).toBe(
    '2031-03-06T00:00:00.000Z',
  );
  expect(await account.api.ok('/subscriptions/cancel', { subscriptionId: made.id })).toMatchObject({
    status: 'canceled',
    canceledAt: '2031-03-06T00:00:00.000Z',
  });
});

test('a change of interval waits and expires by the clock, and a scheduled one happens by it', {
  timeout: 60_000,
}, async () => {
  const made = await subscribed('2032-01-01T00:00:00.000Z');
  const yearly = await priceOf(account, { amount: 9000, interval: 'year' });
  const update = (more: object) => account.api.ok('/subscriptions/update', { subscriptionId: made.id, ...more });
  const { paymentInstrument } = await account.api.ok('/payment-instruments/create-from-token', {
    token: 'tok_visa_3ds',
    customerId: made.customerId,
  });
  const waits = await update({ priceId: yearly, paymentInstrumentId: paymentInstrument.id });
  expect(waits.pendingUpdate.expiresAt).toBe('2032-01-01T23:00:00.000Z');
  await made.advance('2032-01-01T22:59:59.999Z');
  expect((await read(made.id)).pendingUpdate).toEqual(waits.pendingUpdate);
  await made.advance('2032-01-01T23:00:00.000Z');
  expect(await read(made.id)).toMatchObject({ pendingUpdate: null, priceId });
  await update({ priceId: yearly, prorate: false });
  await made.advance('2032-02-02T00:00:00.000Z');
  expect(await read(made.id)).toMatchObject({
    priceId: yearly,
    pendingUpdate: null,
    currentPeriodStart: '2032-02-01T00:00:00.000Z',
    currentPeriodEnd: '2033-02-01T00:00:00.000Z',
  });
  expect(await chargesOf(platform, made.id)).toEqual(['1000 succeeded', '8000 failed', '9000 succeeded']);
});

test('the ledger and the records of the processor agree', async () =>
  expect((await verifyLedger(platform.services)).differences).toEqual([]));
