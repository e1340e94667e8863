import { describe, expect, test } from 'vitest';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);
const live = await seedPartner(platform, 'live', partner.id);
const account = await partner.account();

const put = { method: 'PUT' } as const;
const eventsOf = async (id: string) =>
  (
    await platform.services.pool.query('SELECT type, sequence FROM events WHERE "objectId" = $1 ORDER BY sequence', [
      id,
    ])
  ).rows.map(({ type, sequence }) => `${sequence} ${type}`);
const countOf = async (table: string): Promise<number> =>
  (await platform.services.pool.query(`SELECT count(*)::int AS n FROM ${table}`)).rows[0].n;

describe('9 accounts', () => {
  test('returns the whole account with its organization and first store', async () => {
    const made = await partner.api.ok('/accounts', {
      legalName: 'Ada Ltd',
      country: 'DE',
      currency: 'EUR',
      externalRef: 'ext-1',
      metadata: { a: 1 },
    });
    expect(made).toEqual({
      id: expect.stringMatching(/^tpa_/),
      organizationAccountId: expect.stringMatching(/^acc_/),
      partnerId: partner.id,
      legalName: 'Ada Ltd',
      country: 'DE',
      currency: 'EUR',
      externalRef: 'ext-1',
      status: 'active',
      kybStatus: 'not_started',
      plan: 'standard',
      livemode: false,
      metadata: { a: 1 },
      stores: [{ id: expect.stringMatching(/^store_/), name: 'Ada Ltd', type: 'platform', baseCurrency: 'EUR' }],
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(await partner.api.ok(`/accounts/${made.id}`)).toEqual(made);
    const { rows } = await platform.services.pool.query(
      'SELECT kind, "partnerId", "organizationId", name FROM organizations WHERE "accountId" = $1',
      [made.organizationAccountId],
    );
    expect(rows).toEqual([{ kind: 'partner_managed', partnerId: partner.id, organizationId: null, name: 'Ada Ltd' }]);
    expect(await eventsOf(made.id)).toEqual(['1 account/created']);
  });

  test('only legalName is required; the currency is USD when left out', async () => {
    expect(await partner.api.ok('/accounts', { legalName: 'Bare' })).toMatchObject({
      country: null,
      currency: 'USD',
      externalRef: null,
      metadata: {},
    });
    const { status, body } = await partner.api.call('/accounts', {});
    expect([status, body.data.issues]).toEqual([400, [{ path: 'legalName', message: 'is required' }]]);
  });

  test.each([
    [{ legalName: '' }, 'legalName'],
    [{ legalName: '  ' }, 'legalName'],
    [{ legalName: 7 }, 'legalName'],
    [{ country: 'Germany' }, 'country'],
    [{ country: 'de' }, 'country'],
    [{ country: 'ZZ' }, 'country'],
    [{ currency: 'XXXX' }, 'currency'],
    [{ mode: 'prod' }, 'mode'],
    [{ metadata: [] }, 'metadata'],
  ])('400 for %j, naming %s', async (more, path) => {
    const { status, body } = await partner.api.call('/accounts', { legalName: 'X', ...more });
    expect([status, body.data.issues[0].path]).toEqual([400, path]);
  });

  test('the same externalRef returns the same account unchanged, also at once', async () => {
    const first = await partner.api.ok('/accounts', { legalName: 'Ref', externalRef: 'ext-2' });
    const before = [
      await countOf('processing_accounts'),
      await countOf('organizations'),
      await countOf('stores'),
      await countOf('events'),
    ];
    const again = await Promise.all(
      [1, 2, 3].map((n) =>
        partner.api.ok('/accounts', { legalName: `Other ${n}`, externalRef: 'ext-2', currency: 'EUR' }),
      ),
    );
    for (const each of again) expect(each).toEqual(first);
    expect([
      await countOf('processing_accounts'),
      await countOf('organizations'),
      await countOf('stores'),
      await countOf('events'),
    ]).toEqual(before);
    const fresh = await Promise.all(
      [1, 2, 3, 4].map(() => partner.api.ok('/accounts', { legalName: 'At once', externalRef: 'ext-3' })),
    );
    expect(new Set(fresh.map(({ id }) => id)).size).toBe(1);
  });

  test('the same externalRef of another mode or partner is another account', async () => {
    const ids = await Promise.all(
      [partner, live, await seedPartner(platform)].map(
        async ({ api }) => (await api.ok('/accounts', { legalName: 'R', externalRef: 'ext-4' })).id,
      ),
    );
    expect(new Set(ids).size).toBe(3);
  });

  test('a live account is pending until an operator activates it', async () => {
    expect(await live.api.ok('/accounts', { legalName: 'Live' })).toMatchObject({
      status: 'pending_operator_assignment',
      livemode: true,
    });
  });

  test('PUT changes legalName and metadata separately, with one event; naming neither is no change', async () => {
    const { id, updatedAt } = await partner.api.ok('/accounts', { legalName: 'Old', metadata: { keep: true } });
    expect(await partner.api.ok(`/accounts/${id}`, { legalName: 'New' }, put)).toMatchObject({
      legalName: 'New',
      metadata: { keep: true },
    });
    expect(await partner.api.ok(`/accounts/${id}`, { metadata: { b: 2 } }, put)).toMatchObject({
      legalName: 'New',
      metadata: { b: 2 },
    });
    const refused = await partner.api.call(`/accounts/${id}`, { plan: 'premium', status: 'closed' }, put);
    expect([refused.status, refused.body.data.issues.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      ['plan', 'status'],
    ]);
    const still = await partner.api.ok(`/accounts/${id}`, {}, put);
    expect([still.plan, still.status]).toEqual(['standard', 'active']);
    expect(updatedAt).not.toBe(still.updatedAt);
    expect(await eventsOf(id)).toEqual(['1 account/created', '2 account/updated', '3 account/updated']);
  });

  test.each(['test', 'live'])('400 for PUT with the mode %s, which never changes', async (mode) => {
    const answer = await partner.api.call(`/accounts/${account.id}`, { legalName: 'Other', mode }, put);
    expect([answer.status, answer.body.data.issues[0].path]).toEqual([400, 'mode']);
    expect(await partner.api.ok(`/accounts/${account.id}`)).toMatchObject({ livemode: false });
  });

  test('a sub-key reads its own account only; 403 to change it, to list or to create one', async () => {
    expect((await account.api.ok(`/accounts/${account.id}`)).id).toBe(account.id);
    const sibling = await partner.account();
    expect((await account.api.call(`/accounts/${sibling.id}`)).status).toBe(404);
    for (const [path, options] of [
      [`/accounts/${account.id}`, put],
      ['/accounts/list', {}],
      ['/accounts', {}],
    ] as const)
      expect((await account.api.call(path, { legalName: 'X' }, options)).status, path).toBe(403);
  });

  test('each filter and sort of accounts/list', async () => {
    const other = await seedPartner(platform);
    const [a, b] = [
      await other.api.ok('/accounts', { legalName: 'Beta', country: 'DE', externalRef: 'r1' }),
      await other.api.ok('/accounts', { legalName: 'Alpha', country: 'FR' }),
    ];
    const ids = async (body: object) =>
      (await other.api.ok('/accounts/list', body)).items.map(({ id }: { id: string }) => id);
    expect(await ids({ filters: { country: ['DE'] } })).toEqual([a.id]);
    expect(await ids({ filters: { externalRef: 'r1' } })).toEqual([a.id]);
    expect(await ids({ filters: { externalRef: 'R1' } })).toEqual([]);
    expect(await ids({ filters: { legalName: { condition: 'contains', value: 'ALPH' } } })).toEqual([b.id]);
    expect((await ids({ filters: { status: ['active'], kybStatus: ['not_started'] } })).sort()).toEqual(
      [a.id, b.id].sort(),
    );
    expect(await ids({ filters: { kybStatus: ['approved'] } })).toEqual([]);
    expect(await ids({ filters: { createdAt: { condition: 'is-before-date', value: ['2020-01-01'] } } })).toEqual([]);
    expect((await other.api.ok('/accounts/list', {})).items[1].stores).toHaveLength(1);
    expect(await ids({ sortBy: { field: 'legalName', direction: 'asc' } })).toEqual([b.id, a.id]);
    expect(await ids({ sortBy: { field: 'legalName', direction: 'desc' } })).toEqual([a.id, b.id]);
  });
});

describe('9 stores', () => {
  test('returns the whole store, with its defaults', async () => {
    const shop = await partner.account();
    const made = await shop.api.ok('/stores/create', {
      name: 'Shop',
      type: 'shopify',
      baseCurrency: 'EUR',
      presentmentCurrencies: ['EUR', 'GBP'],
      chargeCurrencies: ['EUR', 'EUR', 'USD'],
    });
    expect(made).toEqual({
      id: expect.stringMatching(/^store_/),
      name: 'Shop',
      type: 'shopify',
      baseCurrency: 'EUR',
      presentmentCurrencies: ['EUR', 'GBP'],
      chargeCurrencies: ['EUR', 'USD'],
      platformAccountId: shop.id,
      paymentFlowId: null,
      livemode: false,
      createdAt: expect.any(String),
    });
    expect(await shop.api.ok('/stores/create', { name: 'Plain' })).toMatchObject({
      type: 'platform',
      baseCurrency: 'USD',
      presentmentCurrencies: ['USD'],
      chargeCurrencies: ['USD'],
    });
  });

  test.each([
    [{ name: '' }, 'name'],
    [{ type: 'magento' }, 'type'],
    [{ baseCurrency: 'usd' }, 'baseCurrency'],
    [{ chargeCurrencies: ['USD', 'x'] }, 'chargeCurrencies[1]'],
    [{ chargeCurrencies: [] }, 'chargeCurrencies'],
    [{ presentmentCurrencies: [] }, 'presentmentCurrencies'],
  ])('400 for %j, naming %s', async (more, path) => {
    const { status, body } = await account.api.call('/stores/create', { name: 'X', ...more });
    expect([status, body.data.issues[0].path]).toEqual([400, path]);
  });

  test('a partner key must name platformAccountId, 404 for a foreign one; a sub-key may name its own only', async () => {
    const without = await partner.api.call('/stores/create', { name: 'X' });
    expect([without.status, without.body.data.issues[0].path]).toEqual([400, 'platformAccountId']);
    const foreign = await (await seedPartner(platform)).account();
    for (const platformAccountId of [foreign.id, 'tpa_0000000000000000000000'])
      for (const { api } of [partner, account])
        expect((await api.call('/stores/create', { name: 'X', platformAccountId })).status).toBe(404);
    const own = await partner.account();
    const body = { name: 'X', platformAccountId: own.id };
    expect((await own.api.ok('/stores/create', body)).platformAccountId).toBe(own.id);
  });

  test('each filter and sort of stores/list', async () => {
    const shop = await partner.account('Base');
    const euro = await shop.api.ok('/stores/create', { name: 'Euro', type: 'woocommerce', baseCurrency: 'EUR' });
    const ids = async (body: object) =>
      (await shop.api.ok('/stores/list', body)).stores.map(({ id }: { id: string }) => id);
    expect(await ids({ filters: { name: { condition: 'starts-with', value: 'eu' } } })).toEqual([euro.id]);
    expect(await ids({ filters: { type: ['woocommerce'] } })).toEqual([euro.id]);
    expect(await ids({ filters: { baseCurrency: 'EUR' } })).toEqual([euro.id]);
    expect(await ids({ sortBy: { field: 'name', direction: 'asc' } })).toEqual([shop.storeId, euro.id]);
    expect(await ids({ sortBy: { field: 'name', direction: 'desc' } })).toEqual([euro.id, shop.storeId]);
    expect(await ids({ filters: { createdAt: { condition: 'is-after-date', value: '2020-01-01' } } })).toHaveLength(2);
  });
});

describe('9 customers', () => {
  test('returns the whole customer; GET returns the same', async () => {
    const made = await account.api.ok('/customers/create', {
      email: 'Whole@Example.com',
      firstName: 'A',
      lastName: 'B',
      phone: '+1',
      tags: ['tier:gold', 'tier:gold'],
      metadata: { a: 1 },
    });
    expect(made).toEqual({
      id: expect.stringMatching(/^cus_/),
      storeId: account.storeId,
      storeName: expect.any(String),
      platformAccountId: account.id,
      email: 'Whole@Example.com',
      firstName: 'A',
      lastName: 'B',
      phone: '+1',
      tags: ['tier:gold'],
      billingAddress: null,
      shippingAddress: null,
      metadata: { a: 1 },
      lastOrderId: null,
      paymentInstrumentCardLast4: null,
      testClockId: null,
      deletedAt: null,
      livemode: false,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(await account.api.ok(`/customers/${made.id}`)).toEqual(made);
    expect(
      (await account.api.ok('/customers/list', { filters: { email: { condition: 'is', value: 'whole@example.com' } } }))
        .items,
    ).toEqual([made]);
    expect(await eventsOf(made.id)).toEqual(['1 customer/created']);
  });

  test('unique by store and lower-cased email: the existing one is returned, with one event', async () => {
    const answers = await Promise.all(
      ['one@example.com', 'ONE@example.com', 'One@Example.Com', 'one@example.com'].map((email, n) =>
        account.api.ok('/customers/create', { email, firstName: `N${n}` }),
      ),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await eventsOf(answers[0].id)).toEqual(['1 customer/created']);
    const other = await partner.account();
    expect((await other.api.ok('/customers/create', { email: 'one@example.com' })).id).not.toBe(answers[0].id);
  });

  test.each([
    [{ email: 'x' }, 'email'],
    [{ email: null }, 'email'],
    [{ email: `${'x'.repeat(250)}@a.bc` }, 'email'],
    [{ tags: ['gold'] }, 'tags[0]'],
    [{ tags: Array.from({ length: 51 }, (_, n) => `k:${n}`) }, 'tags'],
    [{ firstName: 'x'.repeat(201) }, 'firstName'],
    [{ metadata: 'x' }, 'metadata'],
    [{ shippingAddress: { email: 'x' } }, 'shippingAddress.email'],
  ])('400 for %j', async (more, path) => {
    const { status, body } = await account.api.call('/customers/create', { email: 'ok@example.com', ...more });
    expect([status, body.data.issues[0].path]).toEqual([400, path]);
  });

  test('PUT with the email of another customer: 409 already_exists; null: 400; other case: 200', async () => {
    const [a, b] = [
      await account.api.ok('/customers/create', { email: 'taken@example.com' }),
      await account.api.ok('/customers/create', { email: 'mine@example.com' }),
    ];
    const taken = await account.api.call(`/customers/${b.id}`, { email: 'TAKEN@example.com' }, put);
    expect([taken.status, taken.body.data]).toEqual([409, { reason: 'already_exists' }]);
    expect((await account.api.call(`/customers/${b.id}`, { email: null }, put)).status).toBe(400);
    expect((await account.api.ok(`/customers/${a.id}`, { email: 'Taken@Example.com' }, put)).email).toBe(
      'Taken@Example.com',
    );
    expect(await eventsOf(b.id)).toEqual(['1 customer/created']);
  });

  test('404 for a customer of another account or mode, 403 for a foreign storeId', async () => {
    const sibling = await (await partner.account()).api.ok('/customers/create', { email: 'x@example.com' });
    const ofLive = await (await live.account()).api.ok('/customers/create', { email: 'x@example.com' });
    for (const { id, storeId } of [sibling, ofLive]) {
      expect((await account.api.call(`/customers/${id}`)).status).toBe(404);
      expect((await account.api.call(`/customers/${id}`, { firstName: 'X' }, put)).status).toBe(404);
      expect((await account.api.call('/customers/create', { email: 'x@example.com', storeId })).status).toBe(403);
    }
    expect((await partner.api.ok(`/customers/${sibling.id}`)).id).toBe(sibling.id);
  });

  test('storeName is the store’s name in every answer with a customer', async () => {
    const shop = await partner.account('Named Ltd');
    const { customerId } = await shop.instrument();
    expect((await shop.api.ok(`/customers/${customerId}`)).storeName).toBe('Named Ltd');
    expect((await shop.api.ok(`/customers/${customerId}`, { firstName: 'X' }, put)).storeName).toBe('Named Ltd');
    expect((await shop.api.ok('/customers/list', {})).items[0].storeName).toBe('Named Ltd');
    const { data } = await shop.api.graphql('{ paymentInstruments { items { customer { storeName } } } }');
    expect(data.paymentInstruments.items[0].customer.storeName).toBe('Named Ltd');
  });
});
