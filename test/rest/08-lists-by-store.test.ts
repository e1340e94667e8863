import { beforeAll, describe, expect, test } from 'vitest';
import { manualClock } from '../../src/lib/clock.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

interface Row {
  id: string;
  createdAt: string;
}

const minuteMs = 60_000;
const clock = manualClock(new Date('2030-03-10T08:00:00.000Z'));
const platform = await usePlatform({ clock });
const partner = await seedPartner(platform);
const account = await partner.account();
const { api } = account;

const itemsOf = async (path: string, filters: object, client = api): Promise<Row[]> =>
  (await client.ok(path, { pageSize: 100, filters })).items;
const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id).sort();

/** One of each object in a store, a minute apart from those of the store before. */
async function fill(storeId: string, name: string): Promise<Record<string, string>> {
  clock.advance(minuteMs);
  const { token } = await api.ok('/payment-instruments/tokenize', {
    storeId,
    cardNumber: '4242424242424242',
    expMonth: 12,
    expYear: 2039,
    cvc: '123',
  });
  const { paymentInstrument } = await api.ok('/payment-instruments/create-from-token', {
    storeId,
    token,
    customerData: { email: `${name}@example.com` },
  });
  const { prices } = await api.ok('/products/create', {
    storeId,
    name,
    prices: [{ currency: 'USD', amount: 1000, interval: 'month' }],
  });
  const items = [{ name, quantity: 1, unitAmount: 500 }];
  return {
    '/payment-instruments/list': paymentInstrument.id,
    '/orders/list': (await api.ok('/orders/create', { storeId, currency: 'USD', items })).id,
    '/subscriptions/list': (
      await api.ok('/subscriptions/create', {
        storeId,
        customerId: paymentInstrument.customerId,
        priceId: prices[0].id,
      })
    ).id,
    '/block-rules/list': (await api.ok('/block-rules', { storeId, name, email: `${name}@example.com` })).id,
  };
}

describe('filters of lists', () => {
  let stores: { storeId: string; made: Record<string, string> }[];

  beforeAll(async () => {
    const { id: second } = await api.ok('/stores/create', { name: 'Second' });
    stores = [];
    for (const [storeId, name] of [
      [account.storeId, 'first'],
      [second, 'second'],
    ] as const)
      stores.push({ storeId, made: await fill(storeId, name) });
  });

  test.each([
    '/payment-instruments/list',
    '/orders/list',
    '/subscriptions/list',
    '/block-rules/list',
  ])('%s by storeId: the rows of that store and no other, with both kinds of key', async (path) => {
    const { total } = await api.ok(path, {});
    let seen = 0;
    for (const client of [api, partner.api])
      for (const { storeId, made } of stores) {
        const found = idsOf(await itemsOf(path, { storeId: [storeId] }, client));
        expect(found).toContain(made[path]);
        for (const other of stores) if (other.storeId !== storeId) expect(found).not.toContain(other.made[path]);
        if (client === api) seen += found.length;
      }
    expect(seen).toBe(total);
  });

  test('/events/list by storeId: the events of that store and no other', async () => {
    for (const { storeId, made } of stores) {
      const found = await itemsOf('/events/list', { storeId: [storeId] });
      const { rows } = await platform.services.pool.query<{ id: string }>(
        'SELECT id FROM events WHERE "storeId" = $1',
        [storeId],
      );
      expect(idsOf(found)).toEqual(idsOf(rows));
      const about = found.map((event) => (event as unknown as { data: { object: Row } }).data.object.id);
      expect(about).toEqual(expect.arrayContaining([made['/orders/list'], made['/payment-instruments/list']]));
    }
  });

  test.each(['/orders/list', '/events/list'])('%s by createdAt: both sides of a moment', async (path) => {
    const all = await itemsOf(path, {});
    const moment = all[0]?.createdAt ?? '';
    const by = async (condition: string, ...value: string[]) =>
      idsOf(await itemsOf(path, { createdAt: { condition, value } }));
    const where = (keeps: (createdAt: string) => boolean) => idsOf(all.filter(({ createdAt }) => keeps(createdAt)));
    expect(where((at) => at < moment).length).toBeGreaterThan(0);
    expect(await by('is-equal-date', moment)).toEqual(where((at) => at === moment));
    expect(await by('is-before-date', moment)).toEqual(where((at) => at < moment));
    expect(await by('is-after-date', moment)).toEqual([]);
    const earlier = new Date(Date.parse(moment) - 1).toISOString();
    expect(await by('is-after-date', earlier)).toEqual(where((at) => at === moment));
    expect(await by('is-between-date', moment, moment)).toEqual(where((at) => at === moment));
    expect(await by('is-between-date', '2000-01-01', earlier)).toEqual(where((at) => at < moment));
  });

  test('/products/list by name, and sorted by it', async () => {
    const named = async (body: object) =>
      (await api.ok('/products/list', body)).items.map(({ name }: { name: string }) => name);
    expect(await named({ filters: { name: { condition: 'is', value: 'SECOND' } } })).toEqual(['second']);
    expect(await named({ sortBy: { field: 'name', direction: 'asc' } })).toEqual(['first', 'second']);
    expect(await named({ sortBy: { field: 'name', direction: 'desc' } })).toEqual(['second', 'first']);
  });

  test('/webhooks/list by storeId and by enabled', async () => {
    const made: string[] = [];
    for (const { storeId } of stores)
      made.push(
        (await api.ok('/webhooks', { url: 'https://hooks.example.com/', storeId, eventTypes: ['order/paid'] })).id,
      );
    const [first = '', second = ''] = made;
    await api.ok(`/webhooks/${first}`, { enabled: false }, { method: 'PUT' });
    for (const [at, { storeId }] of stores.entries())
      expect(idsOf(await itemsOf('/webhooks/list', { storeId: [storeId] }))).toEqual([made[at]]);
    expect(idsOf(await itemsOf('/webhooks/list', { enabled: false }))).toEqual([first]);
    expect(idsOf(await itemsOf('/webhooks/list', { enabled: true }))).toEqual([second]);
  });

  test('the deliveries of a webhook endpoint by eventId, eventType, status and createdAt', async () => {
    const { id } = await api.ok('/webhooks', {
      url: 'https://hooks.example.com/deliveries',
      eventTypes: ['customer/created'],
    });
    await api.ok('/customers/create', { storeId: account.storeId, email: 'delivered@example.com' });
    clock.advance(minuteMs);
    const { eventId, createdAt } = await api.ok(`/webhooks/${id}/test`, {});
    const typesOf = async (filters: object) =>
      (await api.ok(`/webhooks/${id}/deliveries/list`, { filters })).items.map(
        ({ eventType }: { eventType: string }) => eventType,
      );
    expect(await typesOf({})).toEqual(['webhook/test', 'customer/created']);
    expect(await typesOf({ eventId })).toEqual(['webhook/test']);
    expect(await typesOf({ eventType: ['customer/created'] })).toEqual(['customer/created']);
    expect(await typesOf({ status: ['pending'] })).toHaveLength(2);
    expect(await typesOf({ status: ['delivered'] })).toEqual([]);
    expect(await typesOf({ createdAt: { condition: 'is-before-date', value: createdAt } })).toEqual([
      'customer/created',
    ]);
  });
});
