import { afterAll, describe, expect, test } from 'vitest';
import { hashSecret, isWellFormedSecret } from '../../src/auth/secret.ts';
import { aggregateKeyUses } from '../../src/domains/keys/change-key.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { clientOf } from '../support/client.ts';
import { startTestPlatform, type TestPlatform, usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const clock = manualClock(new Date('2030-05-01T10:00:00.000Z'));

const platform = await usePlatform({ clock });
const second = await startTestPlatform({ clock, databaseUrl: platform.databaseUrl, env: { TRUST_PROXY: '1' } });
const partner = await seedPartner(platform);
const account = await partner.account();
afterAll(async () => {
  await second?.close();
});

const mint = (more: object = {}) => partner.api.ok(`/accounts/${account.id}/api-keys`, { label: 'audit', ...more });
const keyRecord = async (id: string, api = partner.api) =>
  (await api.ok(`/accounts/${account.id}/api-keys/list`, { pageSize: 100 })).items.find(
    (key: { id: string }) => key.id === id,
  );

describe('3 callers and keys', () => {
  test('a secret is its kind prefix, 8 shown characters, 32 more and a checksum', async () => {
    const key = await mint();
    expect(key.secret).toMatch(/^tp_sk_test_[0-9A-Za-z]{46}$/);
    expect(key.prefix).toBe(key.secret.slice(0, 'tp_sk_test_'.length + 8));
    expect(partner.partnerKey).toMatch(/^tp_sk_partner_test_[0-9A-Za-z]{46}$/);
    expect(Object.keys(key).sort()).toEqual([
      'allowedIps',
      'createdAt',
      'expiresAt',
      'id',
      'label',
      'platformAccountId',
      'prefix',
      'secret',
    ]);
  });

  test('the checksum alone detects a typo in any place', () => {
    for (let at = 'tp_sk_test_'.length; at < account.subKey.length; at++) {
      const typo =
        account.subKey.slice(0, at) + (account.subKey[at] === 'x' ? 'y' : 'x') + account.subKey.slice(at + 1);
      expect(isWellFormedSecret(typo), `at ${at}`).toBe(false);
    }
    expect(isWellFormedSecret(account.subKey)).toBe(true);
  });

  test('401 for a typo without a database query', async () => {
    let statements = 0;
    const { pool } = platform.services;
    const count = (): void => void statements++;
    pool.on('acquire', count);
    const answer = await clientOf(
      platform,
      `${account.subKey.slice(0, -1)}${account.subKey.endsWith('x') ? 'y' : 'x'}`,
    ).call('/auth/test');
    pool.off('acquire', count);
    expect([answer.status, answer.body.code, statements]).toEqual([401, 'NOT_AUTHORIZED', 0]);
  });

  test('only the hash and prefix of a secret are stored', async () => {
    const { id, secret, prefix } = await mint();
    const { rows } = await platform.services.pool.query('SELECT t::text AS text, * FROM api_keys t WHERE id = $1', [
      id,
    ]);
    expect(rows[0]).toMatchObject({ secretHash: hashSecret(secret), prefix });
    expect(rows[0].text).not.toContain(secret.slice(prefix.length));
  });

  test('auth/test describes a sub-key', async () => {
    expect(await account.api.ok('/auth/test')).toEqual({
      ok: true,
      environment: 'development',
      mode: 'test',
      keyKind: 'sub',
      keyId: expect.stringMatching(/^ak_/),
      keyPrefix: account.subKey.slice(0, 19),
      partnerId: partner.id,
      partnerStatus: 'active',
      platformAccountId: account.id,
      storeIds: [account.storeId],
    });
  });

  test('auth/test describes a partner key, without the fields of a sub-key', async () => {
    expect(await partner.api.ok('/auth/test')).toEqual({
      ok: true,
      environment: 'development',
      mode: 'test',
      keyKind: 'partner',
      keyId: expect.stringMatching(/^ak_/),
      keyPrefix: partner.partnerKey.slice(0, 27),
      partnerId: partner.id,
      partnerStatus: 'active',
    });
  });

  test('lastUsedAt is null before the first use and exact to the second after it, on every server', async () => {
    const key = await mint();
    expect((await keyRecord(key.id)).lastUsedAt).toBeNull();
    clock.advance(5_000);
    await clientOf(platform, key.secret).ok('/auth/test');
    expect((await keyRecord(key.id, clientOf(second, partner.partnerKey))).lastUsedAt).toBe(clock.now().toISOString());
    clock.advance(1_234);
    await clientOf(second, key.secret).ok('/auth/test');
    expect((await keyRecord(key.id)).lastUsedAt).toBe(clock.now().toISOString());
    await aggregateKeyUses(platform.services);
    const { rows } = await platform.services.pool.query('SELECT "lastUsedAt" FROM api_keys WHERE id = $1', [key.id]);
    expect(rows[0].lastUsedAt).toEqual(clock.now());
  });

  test('lastUsedAt changes on a rejected call', async () => {
    const key = await mint();
    clock.advance(2_000);
    expect((await clientOf(platform, key.secret).call('/accounts', { legalName: 'x' })).status).toBe(403);
    expect((await keyRecord(key.id)).lastUsedAt).toBe(clock.now().toISOString());
  });

  test('401 on both servers for the first call after a revoke', async () => {
    const key = await mint();
    for (const server of [platform, second]) await clientOf(server, key.secret).ok('/auth/test');
    expect(await partner.api.ok(`/api-keys/${key.id}/revoke`, {})).toMatchObject({ id: key.id, status: 'revoked' });
    for (const server of [platform, second]) {
      const answer = await clientOf(server, key.secret).call('/auth/test');
      expect([answer.status, answer.body.code, answer.body.data]).toEqual([401, 'NOT_AUTHORIZED', {}]);
    }
  });

  test('revoking twice answers 200 with the same record and one audit row', async () => {
    const key = await mint();
    const first = await partner.api.ok(`/api-keys/${key.id}/revoke`, {});
    clock.advance(60_000);
    expect(await partner.api.ok(`/api-keys/${key.id}/revoke`, {})).toEqual(first);
    const { rows } = await platform.services.pool.query(
      `SELECT count(*)::int AS n FROM audit_rows WHERE action = 'revokeApiKey' AND target = $1`,
      [key.id],
    );
    expect(rows[0].n).toBe(1);
  });

  test("404 when a partner key's own id, an unknown one or another partner's is revoked", async () => {
    const { keyId } = await partner.api.ok('/auth/test');
    const foreign = await (await seedPartner(platform)).account();
    const { keyId: foreignKey } = await foreign.api.ok('/auth/test');
    for (const id of [keyId, 'ak_0000000000000000000000', foreignKey])
      expect((await partner.api.call(`/api-keys/${id}/revoke`, {})).status, id).toBe(404);
    await foreign.api.ok('/auth/test');
  });

  const become = (status: string, partnerId: string) =>
    platform.services.pool.query('UPDATE partners SET status = $1 WHERE id = $2', [status, partnerId]);
  const notActive = { status: 403, body: { code: 'FORBIDDEN', data: { reason: 'partner_not_active' } } };

  test('403 partner_not_active for the keys of an offboarded partner, 200 once it is active', async () => {
    const other = await seedPartner(platform);
    const below = await other.account();
    await become('offboarded', other.id);
    for (const api of [other.api, below.api]) {
      for (const path of ['/payments', '/subscriptions/list', '/events/list'])
        expect(await api.call(path, {}), path).toMatchObject(notActive);
      expect(await api.call('/auth/test')).toMatchObject(notActive);
      expect((await api.graphql('{ authTest { ok } }')).errors[0].extensions.data).toEqual(notActive.body.data);
    }
    await become('active', other.id);
    for (const api of [other.api, below.api])
      expect(await api.ok('/auth/test')).toMatchObject({ partnerStatus: 'active' });
  });

  test('the keys of a suspended partner read all, cancel orders and revoke keys; they make and change nothing', async () => {
    const other = await seedPartner(platform);
    const below = await other.account();
    const key = await other.api.ok(`/accounts/${below.id}/api-keys`, { label: 'to be revoked' });
    const order = { currency: 'USD', items: [{ name: 'Tea', quantity: 1, unitAmount: 500 }] };
    const { id: orderId } = await below.api.ok('/orders/create', order);
    await become('suspended', other.id);
    for (const api of [other.api, below.api]) {
      expect(await api.ok('/auth/test')).toMatchObject({ ok: true, partnerStatus: 'suspended' });
      for (const path of ['/payments', '/subscriptions/list', '/events/list', '/customers/list', '/orders/list'])
        expect((await api.call(path, {})).status, path).toBe(200);
      const { errors } = await api.graphql('{ me { kind } payments { total } stores { total } authTest { ok } }');
      expect(errors).toBeUndefined();
    }
    expect((await other.api.ok(`/accounts/${below.id}/api-keys/list`, {})).total).toBe(2);
    for (const [api, path, body] of [
      [below.api, '/orders/create', order],
      [below.api, '/customers/create', { email: 'new@example.com' }],
      [other.api, '/accounts', { legalName: 'New' }],
      [other.api, `/accounts/${below.id}/api-keys`, { label: 'new' }],
    ] as const)
      expect(await api.call(path, body), path).toMatchObject(notActive);
    const create = 'mutation { createCustomer(input: { email: "new@example.com" }) { id } }';
    const refused = await below.api.graphql(create);
    expect(refused.errors[0].extensions).toMatchObject(notActive.body);
    expect((await below.api.ok('/customers/list', {})).total).toBe(0);
    expect(await below.api.ok('/orders/cancel', { orderId })).toMatchObject({ status: 'canceled' });
    expect(await other.api.ok(`/api-keys/${key.id}/revoke`, {})).toMatchObject({ status: 'revoked' });
  });

  test('401 and `expired` from expiresAt on; an expired key can be revoked', async () => {
    const limits = { expiresAt: new Date(clock.now().getTime() + 60_000).toISOString(), allowedIps: ['127.0.0.0/8'] };
    const { secret, id, ...key } = await mint(limits);
    expect(key).toMatchObject(limits);
    const api = clientOf(platform, secret);
    const listed = async (status: string) =>
      (
        await partner.api.ok(`/accounts/${account.id}/api-keys/list`, { filters: { status: [status] }, pageSize: 100 })
      ).items.filter((item: { id: string }) => item.id === id);
    clock.advance(59_999);
    await api.ok('/auth/test');
    expect(await keyRecord(id)).toMatchObject({ ...limits, status: 'active' });
    expect([await listed('active'), await listed('expired')]).toMatchObject([[{ id }], []]);
    clock.advance(1);
    expect((await api.call('/auth/test')).status).toBe(401);
    expect(await keyRecord(id)).toMatchObject({ ...limits, status: 'expired' });
    expect([await listed('active'), await listed('expired')]).toMatchObject([[], [{ id, status: 'expired' }]]);
    expect(await partner.api.ok(`/api-keys/${id}/revoke`, {})).toMatchObject({ ...limits, status: 'revoked' });
    expect([await listed('expired'), await listed('revoked')]).toMatchObject([[], [{ id, status: 'revoked' }]]);
  });

  test('400 when expiresAt is not in the future', async () => {
    const answer = await partner.api.call(`/accounts/${account.id}/api-keys`, {
      label: 'x',
      expiresAt: clock.now().toISOString(),
    });
    expect([answer.status, answer.body.data.issues[0].path]).toEqual([400, 'expiresAt']);
  });

  test('403 ip_not_allowed from an address outside allowedIps, 200 from inside', async () => {
    const outside = await clientOf(
      platform,
      (await mint({ allowedIps: ['203.0.113.0/24', '2001:db8::/32'] })).secret,
    ).call('/auth/test');
    expect([outside.status, outside.body.data]).toEqual([403, { reason: 'ip_not_allowed' }]);
    await clientOf(platform, (await mint({ allowedIps: ['203.0.113.0/24', '127.0.0.0/8', '::1/128'] })).secret).ok(
      '/auth/test',
    );
  });

  test('403 ip_not_allowed: X-Forwarded-For counts behind TRUST_PROXY proxies only', async () => {
    const { secret } = await mint({ allowedIps: ['203.0.113.0/24'] });
    const from = async (where: TestPlatform, header: string) =>
      (await clientOf(where, secret).call('/auth/test', undefined, { headers: { 'X-Forwarded-For': header } })).status;
    // Entries supplied by the client are left of the entry added by the proxy.
    expect([
      await from(second, '203.0.113.9'),
      await from(second, '203.0.113.9, 198.51.100.7'),
      await from(second, '198.51.100.7, 203.0.113.9'),
      await from(platform, '203.0.113.9'),
    ]).toEqual([200, 403, 200, 403]);
  });

  test('400 names each entry of allowedIps that is not a CIDR range', async () => {
    const answer = await partner.api.call(`/accounts/${account.id}/api-keys`, {
      label: 'x',
      allowedIps: ['10.0.0.0/8', '10.0.0.1', 'x/8'],
    });
    expect([answer.status, answer.body.data.issues.map((issue: { path: string }) => issue.path)]).toEqual([
      400,
      ['allowedIps[1]', 'allowedIps[2]'],
    ]);
  });

  test.each([
    ['no header', {}],
    ['another scheme', { Authorization: 'Basic dXNlcjpwYXNz' }],
    ['an empty key', { Authorization: 'Bearer ' }],
    ['a session token', { Authorization: 'Bearer eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1c2VyXzEifQ.c2ln' }],
  ])('401 with %s', async (_name, headers) => {
    const answer = await clientOf(platform).call('/auth/test', undefined, {
      headers: headers,
    });
    expect([answer.status, Object.keys(answer.body), answer.body.code]).toEqual([
      401,
      ['code', 'message', 'data'],
      'NOT_AUTHORIZED',
    ]);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test.each(['bearer', 'BEARER', 'Bearer'])('the scheme %s is accepted in any case', async (scheme) => {
    expect(
      (
        await clientOf(platform).call('/auth/test', undefined, {
          headers: { Authorization: `${scheme} ${account.subKey}` },
        })
      ).status,
    ).toBe(200);
  });

  test.each(['', 'x'.repeat(101), '   '])('400 for the label %j', async (label) => {
    const answer = await partner.api.call(`/accounts/${account.id}/api-keys`, { label });
    expect([answer.status, answer.body.data.issues[0].path]).toEqual([400, 'label']);
  });

  test('labels of 1 and of 100 characters are accepted', async () => {
    expect((await mint({ label: 'x' })).label).toBe('x');
    expect((await mint({ label: 'x'.repeat(100) })).label).toHaveLength(100);
  });

  test('api-keys/list pages, filters by status and returns no secret', async () => {
    const other = await partner.account();
    const keys = [];
    for (const label of ['a', 'b', 'c']) keys.push(await partner.api.ok(`/accounts/${other.id}/api-keys`, { label }));
    await partner.api.ok(`/api-keys/${keys[0].id}/revoke`, {});
    const path = `/accounts/${other.id}/api-keys/list`;
    const all = await partner.api.ok(path, { page: 1, pageSize: 2 });
    expect(all).toMatchObject({ total: 4, page: 1, pageSize: 2, totalPages: 2 });
    expect(Object.keys(all.items[0]).sort()).toEqual([
      'allowedIps',
      'createdAt',
      'expiresAt',
      'id',
      'label',
      'lastUsedAt',
      'prefix',
      'status',
    ]);
    expect(
      (await partner.api.ok(path, { filters: { status: ['revoked'] } })).items.map((key: { id: string }) => key.id),
    ).toEqual([keys[0].id]);
    expect((await partner.api.ok(path, { filters: { status: ['active'] } })).total).toBe(3);
    expect((await partner.api.call(path, { filters: { status: ['lost'] } })).status).toBe(400);
  });

  test('creating and revoking a key is audited with the calling key and the request id', async () => {
    const answer = await partner.api.call(
      `/accounts/${account.id}/api-keys`,
      { label: 'audited' },
      { headers: { 'Request-Id': 'audit-request-1' } },
    );
    const { keyId } = await partner.api.ok('/auth/test');
    const { rows } = await platform.services.pool.query(
      'SELECT action, "actorKind", "actorId", target, outcome, "requestId" FROM audit_rows WHERE target = $1',
      [answer.body.id],
    );
    expect(rows).toEqual([
      {
        action: 'createApiKey',
        actorKind: 'partnerKey',
        actorId: keyId,
        target: answer.body.id,
        outcome: 'allowed',
        requestId: 'audit-request-1',
      },
    ]);
  });
});
