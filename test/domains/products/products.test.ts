import { expect, test } from 'vitest';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);
const account = await partner.account();

const price = { currency: 'USD', amount: 1500 };
const create = (prices: object[], more = {}) => account.api.call('/products/create', { name: 'Tea', prices, ...more });

test('200: a product with its prices in order, read back the same by id and in the list', async () => {
  const { body } = await create(
    [
      { ...price, interval: 'month', trialDays: 14 },
      { ...price, amount: 15_000, recurring: true, interval: 'year', intervalCount: 2 },
      { ...price, trialDays: null },
    ],
    { description: 'Leaves' },
  );
  expect(body).toMatchObject({
    id: expect.stringMatching(/^prod_/),
    storeId: account.storeId,
    platformAccountId: account.id,
    name: 'Tea',
    description: 'Leaves',
    livemode: false,
  });
  expect(body.prices).toMatchObject([
    {
      id: expect.stringMatching(/^price_/),
      productId: body.id,
      currency: 'USD',
      amount: 1500,
      recurring: true,
      interval: 'month',
      intervalCount: 1,
      trialDays: 14,
    },
    { amount: 15_000, recurring: true, interval: 'year', intervalCount: 2, trialDays: null },
    { amount: 1500, recurring: false, interval: null, intervalCount: null, trialDays: null },
  ]);
  const list = await account.api.ok('/products/list', {});
  expect(list).toMatchObject({ total: 1, page: 1, totalPages: 1 });
  expect(list.items).toEqual([body]);
  const read = await account.api.graphql(
    'query ($id: ID!) { product(productId: $id) { name prices { id amount createdAt } } }',
    { id: body.id },
  );
  expect(read.data.product.prices).toEqual(
    body.prices.map(({ id, amount, createdAt }: Record<string, unknown>) => ({ id, amount, createdAt })),
  );
});

test.each<[string, object]>([
  ['prices', { prices: [] }],
  ['prices', { prices: Array.from({ length: 51 }, () => price) }],
  ['prices[0].interval', { prices: [{ ...price, recurring: true }] }],
  ['prices[1].intervalCount', { prices: [price, { ...price, intervalCount: 2 }] }],
  ['prices[0].trialDays', { prices: [{ ...price, recurring: false, trialDays: 3 }] }],
  ['prices[0].intervalCount', { prices: [{ ...price, interval: 'month', intervalCount: 37 }] }],
  ['prices[0].intervalCount', { prices: [{ ...price, interval: 'year', intervalCount: 0 }] }],
  ['prices[0].trialDays', { prices: [{ ...price, interval: 'day', trialDays: 731 }] }],
  ['prices[0].amount', { prices: [{ ...price, amount: 0 }] }],
  ['name', { name: ' ', prices: [price] }],
])('400 naming %s', async (path, more) => {
  const answer = await account.api.call('/products/create', { name: 'Tea', ...more });
  expect([answer.status, answer.body.data.issues[0].path]).toEqual([400, path]);
});

test('200 on both bounds: 36 months, 3 years, 1095 days, 156 weeks, 730 days of trial', async () => {
  for (const [interval, intervalCount] of [
    ['month', 36],
    ['year', 3],
    ['day', 1095],
    ['week', 156],
  ] as const)
    expect((await create([{ ...price, interval, intervalCount, trialDays: 730 }])).status).toBe(200);
});

test('the same Idempotency-Key again: the same product, and no second one', async () => {
  const headers = { 'Idempotency-Key': 'tea' };
  const first = await account.api.call('/products/create', { name: 'Tea', prices: [price] }, { headers });
  const again = await account.api.call('/products/create', { name: 'Tea', prices: [price] }, { headers });
  expect([again.status, again.headers.get('Idempotent-Replayed'), again.body]).toEqual([200, 'true', first.body]);
});

test("404 for another account's product and price; a partner key lists the products of all its accounts", async () => {
  const other = await partner.account();
  const { body } = await create([price]);
  expect(
    (await other.api.graphql('query ($id: ID!) { product(productId: $id) { id } }', { id: body.id })).errors[0]
      .extensions.code,
  ).toBe('NOT_FOUND');
  expect(
    (
      await other.api.call('/orders/create', {
        currency: 'USD',
        items: [{ name: 'Tea', quantity: 1, unitAmount: 1500, priceId: body.prices[0].id }],
      })
    ).status,
  ).toBe(404);
  expect((await partner.api.ok('/products/list', { filters: { storeId: [account.storeId] } })).total).toBeGreaterThan(
    0,
  );
  expect((await partner.api.ok('/products/list', { filters: { storeId: [other.storeId] } })).total).toBe(0);
});

test('an order item of a price: 200, 400 for another amount, currency or store, 404 for an unknown price', async () => {
  const {
    body: {
      prices: [{ id: priceId }],
    },
  } = await create([price]);
  const item = { name: 'Tea', quantity: 2, unitAmount: 1500, priceId };
  const order = (items: object[], more = {}) =>
    account.api.call('/orders/create', { storeId: account.storeId, currency: 'USD', items, ...more });
  expect((await order([item])).body).toMatchObject({ amount: 3000, items: [{ priceId, unitAmount: 1500 }] });
  const pathsOf = async (answer: ReturnType<typeof order>) =>
    (await answer).body.data.issues.map(({ path }: { path: string }) => path);
  expect(
    await pathsOf(
      order([
        { ...item, priceId: null },
        { ...item, unitAmount: 1499 },
      ]),
    ),
  ).toEqual(['items[1].unitAmount']);
  expect(await pathsOf(order([item], { currency: 'EUR' }))).toEqual(['currency']);
  expect((await order([{ ...item, priceId: 'price_none' }])).status).toBe(404);
  const store = await account.api.ok('/stores/create', { name: 'Second' });
  expect(await pathsOf(order([item], { storeId: store.id }))).toEqual(['items[0].priceId']);
});
