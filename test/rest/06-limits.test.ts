import { afterAll, describe, expect, test } from 'vitest';
import { manualClock } from '../../src/lib/clock.ts';
import { type Client, clientOf } from '../support/client.ts';
import { startTestPlatform, usePlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

const clock = manualClock(new Date('2030-05-01T10:00:00.000Z'));

const platform = await usePlatform({ clock });
const second = await startTestPlatform({ clock, databaseUrl: platform.databaseUrl });
const partner = await seedPartner(platform);
afterAll(async () => {
  await second?.close();
});

async function standardAccount(of = partner): Promise<SeededAccount> {
  const account = await of.account();
  await setPlan(account, 'standard');
  return account;
}

const setPlan = ({ id }: SeededAccount, plan: string) =>
  platform.services.pool.query('UPDATE processing_accounts SET plan = $2 WHERE id = $1', [id, plan]);

/** Sends concurrent calls and returns the number that were accepted. */
async function passing(clients: readonly Client[], calls: number): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: calls }, (_, index) => clients[index % clients.length]?.call('/auth/test')),
  );
  return answers.filter((answer) => answer?.status === 200).length;
}

describe('6 limits', () => {
  test('standard: a burst of exactly 150, the 151st is 429, and 200 after Retry-After', async () => {
    const { api } = await standardAccount();
    expect(await passing([api], 150)).toBe(150);
    const refused = await api.call('/auth/test');
    expect([refused.status, refused.body.code, refused.body.data]).toEqual([
      429,
      'TOO_MANY_REQUESTS',
      { retryAfter: 1 },
    ]);
    expect(refused.headers.get('ratelimit')).toMatch(/^"standard";r=0;t=\d+$/);
    clock.advance(Number(refused.headers.get('retry-after')) * 1000);
    expect((await api.call('/auth/test')).status).toBe(200);
    expect((await api.call('/auth/test')).status).toBe(429);
  });

  test('standard refills 100 a minute, up to the burst', async () => {
    const { api } = await standardAccount();
    await passing([api], 150);
    clock.advance(60_000);
    expect(await passing([api], 110)).toBe(100);
    clock.advance(3_600_000);
    expect(await passing([api], 160)).toBe(150);
  });

  test('every response to a key has RateLimit-Policy and RateLimit, errors included', async () => {
    const { api } = await standardAccount();
    for (const [index, path] of ['/auth/test', '/nowhere', '/accounts/list', '/customers/cus_unknown'].entries()) {
      const { headers } = await api.call(path);
      expect(headers.get('ratelimit-policy'), path).toBe('"standard";q=100;w=60');
      expect(headers.get('ratelimit'), path).toBe(
        `"standard";r=${149 - index};t=${Math.ceil(((index + 1) * 60) / 100)}`,
      );
    }
    expect((await clientOf(platform).call('/auth/test')).headers.has('ratelimit')).toBe(false);
  });

  test('the sub-keys of one account share its bucket; another account has its own', async () => {
    const account = await standardAccount();
    const other = await standardAccount();
    const { secret } = await partner.api.ok(`/accounts/${account.id}/api-keys`, { label: 'second' });
    expect(await passing([account.api, clientOf(platform, secret)], 160)).toBe(150);
    expect((await other.api.call('/auth/test')).status).toBe(200);
  });

  test("a partner key is premium: a burst of exactly 750, which all of a partner's keys of one mode share", async () => {
    const test = await seedPartner(platform);
    const alsoTest = await seedPartner(platform, 'test', test.id);
    const live = await seedPartner(platform, 'live', test.id);
    expect((await test.api.call('/auth/test')).headers.get('ratelimit-policy')).toBe('"premium";q=500;w=60');
    expect(await passing([test.api, alsoTest.api], 760)).toBe(749);
    expect((await live.api.call('/auth/test')).headers.get('ratelimit')).toMatch(/r=749/);
    clock.advance(60_000);
    expect(await passing([test.api], 510)).toBe(500);
  });

  test('two servers on one database share a bucket', async () => {
    const account = await standardAccount();
    expect(await passing([account.api, clientOf(second, account.subKey)], 160)).toBe(150);
  });

  test('each root field of a GraphQL operation costs a token', async () => {
    const { api, subKey } = await standardAccount();
    await api.graphql('{ a: authTest { ok } b: authTest { ok } c: customers { total } }');
    expect((await api.call('/auth/test')).headers.get('ratelimit')).toMatch(/r=146/);
    await passing([api], 146);
    const response = await fetch(`${platform.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${subKey}` },
      body: '{"query":"{ authTest { ok } }"}',
    });
    expect([
      response.status,
      (await response.json()).errors[0].extensions.code,
      response.headers.get('retry-after'),
    ]).toEqual([429, 'TOO_MANY_REQUESTS', '1']);
  });

  test('a change of plan applies immediately, in both directions', async () => {
    const account = await standardAccount();
    await passing([account.api], 150);
    await setPlan(account, 'premium');
    clock.advance(6_000);
    const after = await account.api.call('/auth/test');
    expect(after.headers.get('ratelimit-policy')).toBe('"premium";q=500;w=60');
    expect(after.headers.get('ratelimit')).toMatch(/^"premium";r=49;/);
    clock.advance(600_000);
    expect((await account.api.call('/auth/test')).headers.get('ratelimit')).toMatch(/r=749/);
    await setPlan(account, 'standard');
    expect((await account.api.call('/auth/test')).headers.get('ratelimit')).toMatch(/^"standard";r=149;/);
  });

  test('a new account is standard', async () => {
    expect((await partner.api.ok('/accounts', { legalName: 'New' })).plan).toBe('standard');
  });

  test('429 comes before a stored answer, and leaves the Idempotency-Key of a new call unused', async () => {
    const { api } = await standardAccount();
    const create = (key: string, email: string) =>
      api.call('/customers/create', { email }, { headers: { 'Idempotency-Key': key } });
    const first = await create('stored', 'stored@example.com');
    expect(await passing([api], 149)).toBe(149);
    expect((await create('stored', 'stored@example.com')).status).toBe(429);
    expect((await create('refused', 'refused@example.com')).status).toBe(429);
    clock.advance(60_000);
    const again = await create('stored', 'stored@example.com');
    expect([again.status, again.headers.get('idempotent-replayed'), again.body]).toEqual([200, 'true', first.body]);
    const other = await create('refused', 'other@example.com');
    expect([other.status, other.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });

  test('an invalid key uses no tokens', async () => {
    const account = await standardAccount();
    const { id } = (await partner.api.ok(`/accounts/${account.id}/api-keys/list`, {})).items[0];
    await partner.api.ok(`/api-keys/${id}/revoke`, {});
    await account.api.call('/auth/test');
    const { rows } = await platform.services.pool.query('SELECT 1 FROM limits.buckets WHERE owner = $1', [account.id]);
    expect(rows).toEqual([]);
  });

  test('429 for the 61st key a partner creates in a minute, over REST and GraphQL and both modes', async () => {
    clock.set(new Date('2030-06-01T10:00:00.000Z'));
    const minter = await seedPartner(platform);
    const account = await minter.account();
    const mint = () => minter.api.call(`/accounts/${account.id}/api-keys`, { label: 'x' });
    const answers = await Promise.all(Array.from({ length: 58 }, mint));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const byGraph = await minter.api.graphql(
      'mutation ($id: ID!) { createApiKey(platformAccountId: $id, input: { label: "g" }) { id } }',
      { id: account.id },
    );
    expect(byGraph.errors).toBeUndefined();
    const refused = await mint();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect(
      (
        await minter.api.graphql(
          'mutation ($id: ID!) { createApiKey(platformAccountId: $id, input: { label: "g" }) { id } }',
          {
            id: account.id,
          },
        )
      ).errors[0].extensions.code,
    ).toBe('TOO_MANY_REQUESTS');
    const overGraph = await fetch(`${platform.url}/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${minter.partnerKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        query: `mutation { createApiKey(platformAccountId: "${account.id}", input: { label: "g" }) { id } }`,
      }),
    });
    expect([overGraph.headers.get('retry-after'), (await overGraph.json()).errors[0].extensions.data]).toEqual([
      '60',
      { retryAfter: 60 },
    ]);
    clock.advance(59_999);
    expect((await mint()).status).toBe(429);
    clock.advance(1);
    expect((await mint()).status).toBe(200);
  });

  test('429 for the 601st card of an account in a minute, with any of its keys; other accounts: 200', async () => {
    clock.set(new Date('2030-06-02T10:00:00.000Z'));
    const account = await partner.account();
    const other = await partner.account();
    const card = { storeId: account.storeId, cardNumber: '4242424242424242', expMonth: 12, expYear: 2039, cvc: '123' };
    for (const by of [account, partner])
      expect((await by.api.call('/payment-instruments/tokenize', card)).status).toBe(200);
    const { rowCount } = await platform.services.pool.query(
      `UPDATE limits.field_calls SET calls = array_fill(calls[1], ARRAY[596]) || calls
       WHERE subject = $1 AND cardinality(calls) = 2`,
      [`tokenizeCard/${account.id}`],
    );
    expect(rowCount).toBe(1);
    for (const by of [account, partner])
      expect((await by.api.call('/payment-instruments/tokenize', card)).status).toBe(200);
    expect((await account.api.call('/payment-instruments/tokenize', card)).status).toBe(429);
    expect((await partner.api.call('/payment-instruments/tokenize', card)).status).toBe(429);
    expect((await other.api.call('/payment-instruments/tokenize', { ...card, storeId: other.storeId })).status).toBe(
      200,
    );
  });

  test('the window of a field slides: a call counts for a minute, a refused one never, on all servers together', async () => {
    clock.set(new Date('2030-06-03T10:00:50.000Z'));
    const minter = await seedPartner(platform);
    const account = await minter.account();
    const servers = [minter.api, clientOf(second, minter.partnerKey)] as const;
    const mint = async (calls: number) => {
      const answers = await Promise.all(
        Array.from({ length: calls }, (_, index) =>
          servers[(index % 2) as 0 | 1].call(`/accounts/${account.id}/api-keys`, { label: 'x' }),
        ),
      );
      const refused = answers.filter(({ status }) => status === 429);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(calls - refused.length);
      return { refused: refused.length, retryAfter: refused[0]?.headers.get('retry-after') };
    };
    expect(await mint(24)).toEqual({ refused: 0 }); // and the sub-key of the account
    clock.advance(40_000);
    expect(await mint(50)).toEqual({ refused: 15, retryAfter: '20' });
    clock.advance(19_001);
    expect(await mint(2)).toEqual({ refused: 2, retryAfter: '1' });
    clock.advance(999);
    expect(await mint(30)).toEqual({ refused: 5, retryAfter: '40' });
    clock.advance(40_000);
    expect(await mint(40)).toEqual({ refused: 5, retryAfter: '20' });
  });

  const expensivePage = 'payments(pageSize: 100) { items { id transactions { id } customer { id } } }';
  test.each([
    [
      'an account with its payments and their transactions',
      '{ account(platformAccountId: "x") { payments { customer { id } transactions { id } } } }',
      true,
    ],
    [
      'a page of pages',
      '{ payments(pageSize: 100) { items { id customer { id email storeName } transactions { id amount } } } }',
      true,
    ],
    ['cost', `{ ${Array.from({ length: 20 }, (_, i) => `p${i}: ${expensivePage}`).join(' ')} }`, false],
    ['breadth', `{ ${Array.from({ length: 400 }, (_, i) => `a${i}: authTest { ok }`).join(' ')} }`, false],
    ['tokens', `{ authTest { ${'ok '.repeat(5000)} } }`, false],
  ])('GraphQL is bounded: %s', async (_name, query, fits) => {
    const { api } = await partner.account();
    const { errors } = await api.graphql(query);
    if (fits) expect(errors?.[0]?.extensions?.code ?? 'NOT_FOUND').toBe('NOT_FOUND');
    else expect(errors[0].extensions.code).toBe('INPUT_PARSE_ERROR');
  });
});
