import { expect, test } from 'vitest';
import { chargesOf, dayMs, eventsOf, passTo } from '../../support/subscriptions.ts';
import { subscriptionWorld } from './world.ts';

const world = subscriptionWorld();
const { addCard, clock, ok, pass, read, subscribe } = world;

/** What becomes of a subscription by the decline of a card that the merchant charges. */
const declines = [
  ['4000002760003184', 'authentication_failed', 'past_due'],
  ['4000000000000069', 'expired_card', 'past_due'],
  ['4000000000000697', 'expired_card', 'past_due'],
  ['4000000000000002', 'card_declined', 'past_due'],
  ['4000000000009995', 'insufficient_funds', 'past_due'],
  ['4000000000009987', 'lost_card', 'canceled'],
  ['4000000000000127', 'incorrect_cvc', 'canceled'],
] as const;

async function renewWith(card: string): Promise<string> {
  const { id: subscriptionId, customerId } = await subscribe();
  await ok('update', { subscriptionId, paymentInstrumentId: await addCard(customerId, card) });
  return subscriptionId;
}

test('each decline of a renewal and of a trial that ends: only a lost card and a wrong code end it at once', async () => {
  const made = [];
  for (const [card, failureCode, status] of declines)
    made.push(
      { id: await renewWith(card), failureCode, status },
      { id: (await subscribe(card, { trialDays: 14 })).id, failureCode, status },
    );
  await pass(28);
  const shown = await Promise.all(made.map(({ id }) => read(id)));
  // The trials ended on day 14, and their retries are over on day 21.
  expect(shown.map(({ status, latestPayment }) => [latestPayment.failureCode, status])).toEqual(
    made.map(({ failureCode, status }, at) => [failureCode, at % 2 === 0 ? status : 'canceled']),
  );
  expect(await Promise.all(made.map(async ({ id }) => (await chargesOf(world.platform, id)).slice(-5).length))).toEqual(
    made.map(({ status }, at) => (at % 2 === 0 ? 2 : status === 'past_due' ? 5 : 1)),
  );
});

test.each([
  '4000002760003184',
  '4000000000000069',
  '4000000000000697',
])('%s: retried on days 1, 3, 5 and 7, canceled by the last, and not a moment earlier', async (card) => {
  const { id } = await subscribe(card, { trialDays: 10 });
  const ends = clock.now().getTime() + 10 * dayMs;
  await passTo(world.platform, clock, new Date(ends + 7 * dayMs - 1));
  expect(await read(id)).toMatchObject({
    status: 'past_due',
    canceledAt: null,
    nextBillingDate: new Date(ends + 7 * dayMs).toISOString(),
  });
  await passTo(world.platform, clock, new Date(ends + 7 * dayMs));
  expect(await read(id)).toMatchObject({ status: 'canceled', cancellationReason: 'payment_failed' });
  const { rows } = await world.platform.services.pool.query<{ createdAt: Date }>(
    'SELECT "createdAt" FROM payments WHERE "subscriptionId" = $1 ORDER BY "createdAt"',
    [id],
  );
  expect(rows.map(({ createdAt }) => (createdAt.getTime() - ends) / dayMs)).toEqual([0, 1, 3, 5, 7]);
  expect((await eventsOf(world.platform, id)).at(-1)).toBe('canceled');
});

test('a card that replaces an expired one is charged by the next retry, and by rebill', async () => {
  const waits = await subscribe('4000000000000697', { trialDays: 1 });
  const asks = await subscribe('4000002760003184', { trialDays: 1 });
  await pass(1);
  for (const { id: subscriptionId, customerId } of [waits, asks])
    await ok('update', { subscriptionId, paymentInstrumentId: await addCard(customerId, 'tok_visa') });
  expect((await ok('rebill', { subscriptionId: asks.id })).status).toBe('active');
  await pass(1);
  expect((await read(waits.id)).status).toBe('active');
});

test('a rebill with a lost card ends a subscription that waits for its cardholder', async () => {
  const { id: subscriptionId, customerId } = await subscribe('4000000000000697', { trialDays: 1 });
  await pass(1);
  await ok('update', { subscriptionId, paymentInstrumentId: await addCard(customerId, '4000000000009987') });
  expect((await ok('rebill', { subscriptionId })).status).toBe('canceled');
});

world.expectLedgerToAgree();
