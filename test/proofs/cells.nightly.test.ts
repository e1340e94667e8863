// guards: src/operating/prepare-database.ts src/auth src/server.ts docs/self-hosting/cells.md docs/samples
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newSecret } from '../../src/auth/secret.ts';
import { signedIn } from '../iam/people.ts';
import { type CellProxy, haproxyProgram, type ProxyAnswer, startCellProxy } from '../support/haproxy.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';

const shared = 'api.pay.example.com';
const hosts = { first: 'a.pay.example.com', b: 'b.pay.example.com' };
const api = '/api/public/v1';
const program = haproxyProgram;

describe.skipIf(program === null)('two cells behind HAProxy (apt-get install haproxy, or HAPROXY)', () => {
  let first: TestPlatform;
  let cell: TestPlatform;
  let proxy: CellProxy;
  let partners: Record<'first' | 'b', SeededPartner>;
  let accounts: Record<'first' | 'b', SeededAccount>;

  beforeAll(async () => {
    const env = { ALLOWED_HOSTS: [shared, ...Object.values(hosts)].join(), TRUST_PROXY: '127.0.0.1' };
    first = await startTestPlatform({ env });
    cell = await startTestPlatform({ env: { ...env, CELL: 'b' } });
    partners = { first: await seedPartner(first), b: await seedPartner(cell) };
    accounts = { first: await partners.first.account(), b: await partners.b.account() };
    proxy = await startCellProxy(program ?? '', { first: first.url, b: cell.url });
    // A server gets calls once its first check was answered.
    for (const host of Object.values(hosts))
      await vi.waitFor(async () => expect((await proxy.ask(host, '/health/ready')).status).toBe(200), 30_000);
  });
  afterAll(async () => {
    await proxy?.stop();
    await first?.close();
    await cell?.close();
  });

  const partnerOf = ({ text }: ProxyAnswer): string => JSON.parse(text).partnerId;
  const messageOf = ({ text }: ProxyAnswer): string => JSON.parse(text).message;
  const whoIs = (host: string, token: string, forwardedFor?: string) =>
    proxy.ask(host, `${api}/auth/test`, { token, forwardedFor });

  test('on the shared host the tag of a key finds its cell, for partner keys and sub-keys', async () => {
    for (const name of ['first', 'b'] as const)
      for (const key of [partners[name].partnerKey, accounts[name].subKey])
        expect(partnerOf(await whoIs(shared, key))).toBe(partners[name].id);
  });

  test('charges through the shared host are in the database of their cell, and in no other', async () => {
    for (const [name, own, other] of [
      ['first', first, cell],
      ['b', cell, first],
    ] as const) {
      const { id: paymentInstrumentId } = await accounts[name].instrument();
      const body = { paymentInstrumentId, amount: 500, currency: 'USD' };
      const charged = await proxy.ask(shared, `${api}/payments/process`, { token: accounts[name].subKey, body });
      expect(charged.status, charged.text).toBe(200);
      const where = { platformAccountId: accounts[name].id };
      expect(await own.services.prisma.payment.count({ where })).toBe(1);
      expect(await other.services.prisma.payment.count({ where })).toBe(0);
    }
  });

  test('401 for a key on the host of another cell, whichever way round', async () => {
    for (const [host, key, cellOfKey] of [
      [hosts.first, accounts.b.subKey, 'of the cell "b"'],
      [hosts.b, accounts.first.subKey, 'of the cell without a tag'],
    ] as const) {
      const answer = await whoIs(host, key);
      expect([answer.status, messageOf(answer)]).toEqual([401, expect.stringContaining(cellOfKey)]);
    }
  });

  test('401 from the first cell for an unknown tag, a token of another kind, and no credential', async () => {
    const unknown = await whoIs(shared, newSecret('sub', 'test', 'zz').secret);
    expect([unknown.status, messageOf(unknown)]).toEqual([
      401,
      expect.stringContaining('of the cell "zz", and this is the cell without a tag'),
    ]);
    expect((await whoIs(shared, 'x')).status).toBe(401);
    expect((await proxy.ask(shared, `${api}/auth/test`)).status).toBe(401);
  });

  test('webhooks of processors and pages are found by the host of their cell', async () => {
    for (const [host, own, other] of [
      [hosts.first, first, cell],
      [hosts.b, cell, first],
    ] as const) {
      const keys = await (await fetch(`${own.url}/idp/jwks`)).text();
      expect((await proxy.ask(host, '/idp/jwks')).text).toBe(keys);
      expect(await (await fetch(`${other.url}/idp/jwks`)).text()).not.toBe(keys);

      const hookCalls = ({ logged }: TestPlatform) => logged.filter((line) => line.includes('/hooks/processors/'));
      const before = hookCalls(other).length;
      await proxy.ask(host, `/hooks/processors/stripe?processor=proc_${own === cell ? 'b' : 'a'}`, { body: {} });
      await expect.poll(() => hookCalls(own)).not.toEqual([]);
      expect(hookCalls(other)).toHaveLength(before);
    }
  });

  test('people and operators are those of one cell: a session is 401 in the other', async () => {
    const { cookie } = await signedIn(cell, { platformRoles: ['superadmin'] });
    const ask = (host: string) =>
      proxy.ask(host, '/graphql', {
        cookie,
        body: { query: '{ accounts(mode: test) { items { partnerId } } }' },
      });
    expect((await ask(hosts.b)).text).toContain(partners.b.id);
    expect((await ask(hosts.first)).text).toContain('NOT_AUTHORIZED');
    expect((await ask(shared)).text).toContain('NOT_AUTHORIZED');
  });

  test('the address of the client is the one the proxy saw, and not the one that was sent', async () => {
    const allowedFrom = async (range: string): Promise<string> => {
      const limits = { label: range, allowedIps: [range] };
      return (await partners.b.api.ok(`/accounts/${accounts.b.id}/api-keys`, limits)).secret;
    };
    const answer = await whoIs(shared, await allowedFrom('203.0.113.0/24'), '203.0.113.7');
    expect([answer.status, JSON.parse(answer.text).data]).toEqual([403, { reason: 'ip_not_allowed' }]);
    const own = await allowedFrom('127.0.0.0/8');
    expect((await whoIs(shared, own)).status).toBe(200);
  });

  test('a cell that is down: 503 with Retry-After for its own calls, and 200 for those of the other', async () => {
    await cell.close();
    for (const ask of [() => whoIs(shared, accounts.b.subKey), () => whoIs(hosts.b, accounts.b.subKey)]) {
      const answer = await ask();
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2']);
      expect(JSON.parse(answer.text)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', data: { effect: 'none' } });
      expect((await whoIs(shared, accounts.first.subKey)).status).toBe(200);
    }
  });
});
