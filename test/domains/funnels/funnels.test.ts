import { beforeAll, describe, expect, test } from 'vitest';
import { usePlatform } from '../../support/platform.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';
import { addFunnel, exampleGraph } from './example-funnel.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);
const account = await partner.account();

const put = (id: string, body: unknown, client = account) => client.api.call(`/funnels/${id}`, body, { method: 'PUT' });

describe('POST /funnels, GET, PUT and DELETE /funnels/:id', () => {
  test('200 with every default filled in, and read back the same', async () => {
    const made = await account.api.ok('/funnels', {
      name: 'Short',
      nodes: [{ id: 'only', type: 'landing', isEntry: true, config: { headline: 'Hello' } }],
      edges: [],
    });
    expect({ ...made, id: '', createdAt: '', updatedAt: '' }).toEqual({
      id: '',
      storeId: account.storeId,
      platformAccountId: account.id,
      name: 'Short',
      isDefault: false,
      version: 1,
      entryUrl: `${platform.url}/checkout/funnels/${made.id}`,
      edges: [],
      livemode: false,
      createdAt: '',
      updatedAt: '',
      nodes: [
        {
          id: 'only',
          name: null,
          type: 'landing',
          isEntry: true,
          isConversion: false,
          config: { headline: 'Hello' },
          variants: [],
        },
      ],
    });
    expect(made.id).toMatch(/^funnel_[0-9A-Za-z]{16,}$/);
    expect(await account.api.ok(`/funnels/${made.id}`)).toEqual(made);
  });

  test('400 names every broken rule at once', async () => {
    const { status, body } = await account.api.call('/funnels', {
      name: 'Bad',
      nodes: [
        { id: 'a', type: 'landing', isEntry: true, variants: [{ id: 'x', percentage: 40 }] },
        { id: 'b', type: 'checkout' },
      ],
      edges: [{ source: 'a', target: 'c', condition: { when: 'expression', expression: '1 +' } }],
    });
    expect([status, body.code, body.data.issues.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      'INPUT_PARSE_ERROR',
      ['nodes[0].variants', 'edges[0].condition.expression', 'edges[0].target'],
    ]);
  });

  test.each([
    ['nodes[0].type', { nodes: [{ id: 'a', type: 'somewhere', isEntry: true }] }],
    ['nodes[0].ways', { nodes: [{ id: 'a', type: 'landing', isEntry: true, ways: 1 }] }],
    [
      'nodes[1].config.currency',
      {
        nodes: [
          exampleGraph.nodes[0],
          {
            id: 'checkout',
            type: 'checkout',
            config: { currency: 'EUR', items: [{ name: 'x', quantity: 1, unitAmount: 1 }] },
          },
        ],
        edges: [{ source: 'landing', target: 'checkout' }],
      },
    ],
    ['name', { name: ' ' }],
  ])('400 naming %s', async (path, more) => {
    const answer = await account.api.call('/funnels', {
      name: 'Bad',
      nodes: [{ id: 'a', type: 'landing', isEntry: true }],
      edges: [],
      ...more,
    });
    expect([answer.status, answer.body.data.issues[0].path]).toEqual([400, path]);
  });

  test('200: PUT changes only the named fields, and only a changed graph is a new version', async () => {
    const { id } = await addFunnel(account);
    expect((await put(id, { name: 'Renamed' })).body).toMatchObject({ name: 'Renamed', version: 1 });
    const changed = (
      await put(id, { edges: [...exampleGraph.edges, { source: 'landing', target: 'thanks', priority: 5 }] })
    ).body;
    expect(changed).toMatchObject({
      name: 'Renamed',
      version: 2,
      edges: [{}, {}, {}, {}, { source: 'landing', priority: 5, condition: { when: 'default', expression: null } }],
    });
    // Steps and edges are validated together.
    expect(
      (await put(id, { nodes: [exampleGraph.nodes[0]] })).body.data.issues.map(({ path }: { path: string }) => path),
    ).toEqual(expect.arrayContaining(['edges[0].target']));
    expect((await put(id, { nodes: null })).body.data.issues[0].path).toBe('nodes');
    expect((await account.api.ok(`/funnels/${id}`)).version).toBe(2);
  });

  test('200 once and then 404 when it is deleted', async () => {
    const { id } = await addFunnel(account);
    expect(await account.api.ok(`/funnels/${id}`, undefined, { method: 'DELETE' })).toEqual({ id, deleted: true });
    for (const method of ['GET', 'DELETE', 'PUT'] as const)
      expect(
        (await account.api.call(`/funnels/${id}`, method === 'PUT' ? {} : undefined, { method })).status,
        method,
      ).toBe(404);
  });

  test('one default a store: a new default replaces it, and of ten at once one remains', async () => {
    const own = await partner.account();
    const first = await addFunnel(own, { isDefault: true });
    const second = await addFunnel(own, { isDefault: true });
    expect([first.isDefault, second.isDefault, (await own.api.ok(`/funnels/${first.id}`)).isDefault]).toEqual([
      true,
      true,
      false,
    ]);
    const many = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        index % 2
          ? addFunnel(own, { isDefault: true }).then(() => 200)
          : put(index % 4 ? first.id : second.id, { isDefault: true }, own).then(({ status }) => status),
      ),
    );
    expect(many).toEqual(Array(8).fill(200));
    expect((await own.api.ok('/funnels/list', { filters: { isDefault: true } })).total).toBe(1);
    const [{ id }] = (await own.api.ok('/funnels/list', { filters: { isDefault: true } })).items;
    await put(id, { isDefault: false }, own);
    expect((await own.api.ok('/funnels/list', { filters: { isDefault: true } })).total).toBe(0);
  });

  test('200 with the same funnel for the same Idempotency-Key, 409 with another body', async () => {
    const headers = { 'Idempotency-Key': 'funnel-1' };
    const body = { name: 'Once', ...exampleGraph };
    const [one, two] = [
      await account.api.call('/funnels', body, { headers }),
      await account.api.call('/funnels', body, { headers }),
    ];
    expect([two.body, two.headers.get('Idempotent-Replayed')]).toEqual([one.body, 'true']);
    expect((await account.api.call('/funnels', { ...body, name: 'Twice' }, { headers })).body.data.reason).toBe(
      'idempotency_key_reused',
    );
    const change = () =>
      account.api.call(
        `/funnels/${one.body.id}`,
        { nodes: exampleGraph.nodes },
        { method: 'PUT', headers: { 'Idempotency-Key': 'funnel-2' } },
      );
    expect([(await change()).body.version, (await change()).body.version]).toEqual([2, 2]);
  });

  test("404 for another account's, 403 for its store; a partner key names the store", async () => {
    const other = await partner.account();
    const { id } = await addFunnel(other);
    for (const path of [`/funnels/${id}`, `/funnels/${id}/figures`])
      expect((await account.api.call(path)).status).toBe(404);
    expect(
      (await account.api.call('/funnels', { storeId: other.storeId, name: 'x', ...exampleGraph })).body.data.reason,
    ).toBe('forbidden_scope');
    expect((await partner.api.ok(`/funnels/${id}`)).id).toBe(id);
    expect((await partner.api.call('/funnels', { name: 'x', ...exampleGraph })).body.data.issues[0].path).toBe(
      'storeId',
    );
  });
});

test('POST /funnels/list: by name, store and default, with an exact total', async () => {
  const own = await partner.account();
  for (const name of ['Bravo', 'alpha', 'Charlie']) await addFunnel(own, { name });
  const listed = await own.api.ok('/funnels/list', { sortBy: { field: 'name', direction: 'desc' }, pageSize: 2 });
  expect(listed).toMatchObject({ total: 3, totalPages: 2, page: 1, pageSize: 2 });
  expect(
    (await own.api.ok('/funnels/list', { filters: { name: { condition: 'contains', value: 'AL' } } })).items,
  ).toMatchObject([{ name: 'alpha' }]);
  expect((await partner.api.ok('/funnels/list', { filters: { storeId: [own.storeId] } })).total).toBe(3);
  expect((await own.api.ok('/funnels/list', { filters: { isDefault: true } })).total).toBe(0);
  expect((await own.api.call('/funnels/list', { sortBy: { field: 'version', direction: 'asc' } })).status).toBe(400);
  await own.api.ok(`/funnels/${listed.items[0].id}`, undefined, { method: 'DELETE' });
  expect((await own.api.ok('/funnels/list', {})).total).toBe(2);
});

describe('items that name a price', () => {
  let own: SeededAccount;
  let prices: Record<'once' | 'monthly' | 'euro', string>;
  beforeAll(async () => {
    own = await partner.account();
    const {
      prices: [once, monthly, euro],
    } = await own.api.ok('/products/create', {
      name: 'Coffee',
      prices: [
        { currency: 'USD', amount: 1900 },
        { currency: 'USD', amount: 900, interval: 'month' },
        { currency: 'EUR', amount: 1700 },
      ],
    });
    prices = { once: once.id, monthly: monthly.id, euro: euro.id };
  });
  const selling = (config: object, variants: object[] = []) => ({
    name: 'Prices',
    nodes: [{ id: 'pay', type: 'checkout', isEntry: true, config, variants }],
    edges: [],
  });
  const issuesOf = async (config: object, variants: object[] = []) =>
    (await own.api.call('/funnels', selling(config, variants))).body.data.issues.map(
      ({ path }: { path: string }) => path,
    );

  test('200: name and amount are those of the price, and a PUT of the read body is the same', async () => {
    const funnel = await own.api.ok(
      '/funnels',
      selling({
        currency: 'USD',
        items: [
          { priceId: prices.once, quantity: 2 },
          { priceId: prices.once, quantity: 1, name: 'Gift', unitAmount: 1900 },
        ],
      }),
    );
    expect(funnel.nodes[0].config.items).toEqual([
      { priceId: prices.once, quantity: 2, name: 'Coffee', unitAmount: 1900 },
      { priceId: prices.once, quantity: 1, name: 'Gift', unitAmount: 1900 },
    ]);
    const again = await own.api.ok(`/funnels/${funnel.id}`, { nodes: funnel.nodes }, { method: 'PUT' });
    expect(again.nodes).toEqual(funnel.nodes);
  });

  test('400 for a foreign or recurring price, another amount or another currency, each with its path', async () => {
    const foreign = (
      await (
        await partner.account()
      ).api.ok('/products/create', { name: 'Tea', prices: [{ currency: 'USD', amount: 100 }] })
    ).prices[0].id;
    const item = (priceId: unknown, more = {}) => ({ currency: 'USD', items: [{ priceId, quantity: 1, ...more }] });
    expect(await issuesOf(item(foreign))).toEqual(['nodes[0].config.items[0].priceId']);
    expect(await issuesOf(item('price_none'))).toEqual(['nodes[0].config.items[0].priceId']);
    expect(await issuesOf(item(7))).toEqual(['nodes[0].config.items[0].priceId']);
    expect(await issuesOf(item(prices.monthly))).toEqual(['nodes[0].config.items[0].priceId']);
    expect(await issuesOf(item(prices.once, { unitAmount: 1899 }))).toEqual(['nodes[0].config.items[0].unitAmount']);
    expect(await issuesOf(item(prices.euro))).toEqual(['nodes[0].config.currency']);
    expect(await issuesOf(item(prices.once, { quantity: 1_000_000_00 }))).toEqual([
      'nodes[0].config.items[0].quantity',
    ]);
  });

  test('400 for a variant that sells a price in a currency it does not have', async () => {
    const base = { currency: 'USD', items: [{ priceId: prices.once, quantity: 1 }] };
    expect(await issuesOf(base, [{ id: 'a', percentage: 100, config: { currency: 'EUR' } }])).toContain(
      'nodes[0].variants[0].config.currency',
    );
  });
});
