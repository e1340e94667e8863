import { describe, expect, test } from 'vitest';
import { priceOf } from '../../support/subscriptions.ts';
import { subscriptionWorld } from './world.ts';

const world = subscriptionWorld();
const { subscribe } = world;

describe('visibility', () => {
  test('404 for another world.account, by every operation, without a hint that it exists', async () => {
    const made = await subscribe();
    const other = await world.partner.account();
    expect((await other.api.call(`/subscriptions/${made.id}`)).status).toBe(404);
    for (const what of ['cancel', 'pause', 'resume', 'update', 'rebill'])
      expect((await other.api.call(`/subscriptions/${what}`, { subscriptionId: made.id })).status).toBe(404);
    const card = await other.instrument();
    expect(
      (
        await other.api.call('/payments/process', {
          paymentInstrumentId: card.id,
          amount: 100,
          currency: 'USD',
          subscriptionId: made.id,
        })
      ).status,
    ).toBe(404);
  });

  test('a separate charge may name a subscription of its payer; another one is 400', async () => {
    const [mine, other] = [await subscribe(), await subscribe()];
    const charge = (subscriptionId: string) =>
      world.account.api.call('/payments/process', {
        paymentInstrumentId: mine.paymentInstrumentId,
        amount: 100,
        currency: 'USD',
        subscriptionId,
      });
    expect((await charge(mine.id)).body.payment).toMatchObject({ status: 'succeeded', subscriptionId: mine.id });
    expect((await charge(other.id)).body.data.issues[0].path).toBe('subscriptionId');
  });

  test('POST /subscriptions/list: by status, customer and price, sorted by date, next billing and status', async () => {
    const own = await world.partner.account();
    const ownPrice = await priceOf(own);
    const weekly = await priceOf(own, { interval: 'week' });
    const create = async (price: string) =>
      own.api.ok('/subscriptions/create', { customerId: (await own.instrument()).customerId, priceId: price });
    const [month, week, ended] = [await create(ownPrice), await create(weekly), await create(ownPrice)];
    await own.api.ok('/subscriptions/cancel', { subscriptionId: ended.id });
    const list = async (body: object) =>
      (await own.api.ok('/subscriptions/list', body)).items.map(({ id }: { id: string }) => id);
    expect((await own.api.ok('/subscriptions/list', {})).total).toBe(3);
    expect(await list({ filters: { status: ['canceled'] } })).toEqual([ended.id]);
    expect(await list({ filters: { customerId: week.customerId } })).toEqual([week.id]);
    expect(await list({ filters: { priceId: weekly } })).toEqual([week.id]);
    expect(await list({ sortBy: { field: 'nextBillingDate', direction: 'asc' } })).toEqual([
      week.id,
      month.id,
      ended.id,
    ]);
    expect((await list({ sortBy: { field: 'status', direction: 'desc' } }))[0]).toBe(ended.id);
    expect((await own.api.call('/subscriptions/list', { sortBy: { field: 'amount', direction: 'asc' } })).status).toBe(
      400,
    );
  });
});

world.expectLedgerToAgree();
