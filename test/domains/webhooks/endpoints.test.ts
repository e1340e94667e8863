import { describe, expect, test } from 'vitest';
import { usePlatform } from '../../support/platform.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);
const live = await seedPartner(platform, 'live', partner.id);
const account = await partner.account();
const other = await partner.account();
const liveAccount = await live.account();

// Any URL will do: nothing is sent to it.
const url = 'https://93.184.216.34/hook';
const body = { url, eventTypes: ['payment/succeeded', 'payment/refunded'] };
const create = (on: SeededAccount, more: object = {}) => on.api.ok('/webhooks', { ...body, ...more });
const webhook = /^wh_[0-9A-Za-z]{16,}$/;

describe('creating', () => {
  test('200 with the endpoint and its secret, which no other answer contains', async () => {
    const created = await create(account, { description: 'orders', ordered: true });
    expect(created).toEqual({
      id: expect.stringMatching(webhook),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      ...body,
      description: 'orders',
      ordered: true,
      enabled: true,
      disabledReason: null,
      platformAccountId: account.id,
      storeId: null,
      rotationEndsAt: null,
      livemode: false,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const { secret, ...rest } = created;
    expect(await account.api.ok(`/webhooks/${created.id}`)).toEqual(rest);
    expect((await account.api.ok('/webhooks/list', {})).items).toEqual([rest]);
    const { rows } = await platform.services.pool.query(
      `SELECT to_jsonb(w) AS row, (SELECT jsonb_agg(a) FROM audit_rows a) AS audits FROM webhook_endpoints w`,
    );
    expect(JSON.stringify(rows)).not.toContain(secret.slice(6));
    expect(platform.logged.join('')).not.toContain(secret.slice(6));
    await account.api.ok(`/webhooks/${created.id}`, undefined, { method: 'DELETE' });
  });

  test('200 without the secret when the call is repeated under its Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'endpoint-1' };
    const first = await account.api.ok('/webhooks', body, { headers });
    const again = await account.api.ok('/webhooks', body, { headers });
    expect(again).toEqual({ ...first, secret: null });
    await account.api.ok(`/webhooks/${first.id}`, undefined, { method: 'DELETE' });
  });

  test.each([
    ['an unknown type', { eventTypes: ['payment/succeeded', 'payment/won'] }, 'eventTypes[1]'],
    ['a wildcard', { eventTypes: ['payment/*'] }, 'eventTypes[0]'],
    ['no type', { eventTypes: [] }, 'eventTypes'],
    ['types that are null', { eventTypes: null }, 'eventTypes'],
    ['no address', { url: undefined }, 'url'],
    ['an address without a host', { url: '/hook' }, 'url'],
    ['another scheme', { url: 'ftp://93.184.216.34/' }, 'url'],
    ['an address with a password', { url: 'https://a:b@93.184.216.34/' }, 'url'],
    ['a private address', { url: 'http://10.0.0.1/' }, 'url'],
    ['a loopback address in decimal', { url: 'http://2130706433/' }, 'url'],
    ['localhost', { url: 'https://localhost:4000/' }, 'url'],
  ])('400 for %s', async (_what, wrong, path) => {
    const answer = await account.api.call('/webhooks', { ...body, ...wrong });
    expect([
      answer.status,
      answer.body.code,
      answer.body.data.issues.map((issue: { path: string }) => issue.path),
    ]).toEqual([400, 'INPUT_PARSE_ERROR', [path]]);
  });

  test('a repeated type counts once, and a bare one is a list of one', async () => {
    for (const eventTypes of ['customer/created', ['customer/created', 'customer/created']]) {
      const created = await create(account, { eventTypes });
      expect(created.eventTypes).toEqual(['customer/created']);
      await account.api.ok(`/webhooks/${created.id}`, undefined, { method: 'DELETE' });
    }
  });

  test('400 for http in live mode, 200 for https', async () => {
    const refused = await liveAccount.api.call('/webhooks', { ...body, url: url.replace('https', 'http') });
    expect([refused.status, refused.body.data.issues]).toEqual([
      400,
      [{ path: 'url', message: 'must be an https address in live mode' }],
    ]);
    expect((await create(liveAccount)).livemode).toBe(true);
    expect((await create(account, { url: url.replace('https', 'http') })).livemode).toBe(false);
  });

  test('409 limit_reached for the 21st of an account, also with two at once; room after a deletion', async () => {
    const full = await partner.account();
    const ids: string[] = [];
    for (let index = 0; index < 19; index++) ids.push((await create(full)).id);
    const answers = await Promise.all([0, 1].map(() => full.api.call('/webhooks', body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.data).toEqual({ reason: 'limit_reached' });
    expect((await partner.api.call('/webhooks', { ...body, storeId: full.storeId })).body.data).toEqual({
      reason: 'limit_reached',
    });
    await full.api.ok(`/webhooks/${ids[0]}`, undefined, { method: 'DELETE' });
    expect((await full.api.call('/webhooks', body)).status).toBe(200);
    expect((await other.api.call('/webhooks', body)).status).toBe(200);
  });

  test('409 for the 21st of a partner and mode, without counting the accounts', async () => {
    const wide = await seedPartner(platform);
    for (let index = 0; index < 20; index++) await wide.api.ok('/webhooks', body);
    expect((await wide.api.call('/webhooks', body)).body.data).toEqual({ reason: 'limit_reached' });
    expect((await create(await wide.account())).id).toMatch(webhook);
  });
});

describe('ownership', () => {
  test('a partner key without a store makes one for all accounts, invisible to sub-keys', async () => {
    const wide = await partner.api.ok('/webhooks', body);
    expect([wide.platformAccountId, wide.storeId]).toEqual([null, null]);
    expect((await partner.api.ok(`/webhooks/${wide.id}`)).id).toBe(wide.id);
    expect((await account.api.call(`/webhooks/${wide.id}`)).status).toBe(404);
    expect((await account.api.ok('/webhooks/list', {})).items.map(({ id }: { id: string }) => id)).not.toContain(
      wide.id,
    );
    expect((await live.api.call(`/webhooks/${wide.id}`)).status).toBe(404);
    await partner.api.ok(`/webhooks/${wide.id}`, undefined, { method: 'DELETE' });
  });

  test("a partner key with a store makes one of the store's account", async () => {
    const made = await partner.api.ok('/webhooks', { ...body, storeId: account.storeId });
    expect([made.platformAccountId, made.storeId]).toEqual([account.id, account.storeId]);
    expect((await account.api.ok(`/webhooks/${made.id}`)).storeId).toBe(account.storeId);
  });

  test.each([
    ['another account', () => other.storeId],
    ['the other mode', () => liveAccount.storeId],
    ['no tenant', () => 'store_00000000000000000000'],
  ])('403 for a store of %s', async (_whose, storeId) => {
    const answer = await account.api.call('/webhooks', { ...body, storeId: storeId() });
    expect([answer.status, answer.body.data]).toEqual([403, { reason: 'forbidden_scope' }]);
  });

  test('404 on every path for an endpoint of another account or mode, deleted or unknown, with one body', async () => {
    const deleted = await create(account);
    await account.api.ok(`/webhooks/${deleted.id}`, undefined, { method: 'DELETE' });
    const words = new Set<string>();
    for (const id of [
      (await create(other)).id,
      (await create(liveAccount)).id,
      deleted.id,
      'wh_00000000000000000000',
    ]) {
      const answers = [
        await account.api.call(`/webhooks/${id}`),
        await account.api.call(`/webhooks/${id}`, { description: 'x' }, { method: 'PUT' }),
        await account.api.call(`/webhooks/${id}`, undefined, { method: 'DELETE' }),
        await account.api.call(`/webhooks/${id}/rotate-secret`, {}),
        await account.api.call(`/webhooks/${id}/test`, {}),
        await account.api.call(`/webhooks/${id}/deliveries/list`, {}),
        await account.api.call(`/webhooks/${id}/redeliver`, { since: '2026-01-01T00:00:00Z' }),
      ];
      for (const answer of answers) words.add(JSON.stringify([answer.status, answer.body]));
    }
    expect([...words]).toEqual([
      JSON.stringify([404, { code: 'NOT_FOUND', message: 'Webhook endpoint not found.', data: {} }]),
    ]);
  });
});

describe('changing', () => {
  test('PUT changes only the named fields, and an empty body nothing', async () => {
    const { secret: _secret, ...created } = await create(account);
    const put = (change: object) => account.api.ok(`/webhooks/${created.id}`, change, { method: 'PUT' });
    expect(await put({})).toEqual(created);
    const named = await put({ description: 'a', ordered: true, eventTypes: ['order/paid'] });
    expect(named).toEqual({
      ...created,
      description: 'a',
      ordered: true,
      eventTypes: ['order/paid'],
      updatedAt: named.updatedAt,
    });
    expect((await put({ description: null })).description).toBeNull();
    expect(await put({ enabled: false })).toMatchObject({ enabled: false, disabledReason: 'manual' });
    expect(await put({ enabled: true })).toMatchObject({ enabled: true, disabledReason: null });
    await account.api.ok(`/webhooks/${created.id}`, undefined, { method: 'DELETE' });
  });

  test.each([
    ['url', 'http://169.254.169.254/'],
    ['url', null],
    ['eventTypes', ['no/such']],
    ['eventTypes', []],
    ['eventTypes', null],
    ['ordered', null],
    ['enabled', null],
    ['enabled', 'yes'],
  ])('400 for PUT with %s %j', async (name, value) => {
    const { id } = await create(account);
    const answer = await account.api.call(`/webhooks/${id}`, { [name]: value }, { method: 'PUT' });
    expect([answer.status, answer.body.data.issues[0].path]).toEqual([
      400,
      Array.isArray(value) && value.length > 0 ? `${name}[0]` : name,
    ]);
    await account.api.ok(`/webhooks/${id}`, undefined, { method: 'DELETE' });
  });

  test('rotating returns a new secret once, and the expiry of the old one', async () => {
    const created = await create(account);
    const headers = { 'Idempotency-Key': 'rotate-1' };
    const rotated = await account.api.ok(`/webhooks/${created.id}/rotate-secret`, {}, { headers });
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(created.secret);
    expect(Date.parse(rotated.rotationEndsAt) - Date.parse(rotated.updatedAt)).toBe(24 * 3_600_000);
    expect(await account.api.ok(`/webhooks/${created.id}/rotate-secret`, {}, { headers })).toEqual({
      ...rotated,
      secret: null,
    });
    await account.api.ok(`/webhooks/${created.id}`, undefined, { method: 'DELETE' });
  });

  test('409 for a test and a redelivery while it is disabled', async () => {
    const { id } = await create(account);
    await account.api.ok(`/webhooks/${id}`, { enabled: false }, { method: 'PUT' });
    for (const [path, sent] of [
      ['test', {}],
      ['redeliver', { since: '2026-01-01T00:00:00Z' }],
    ] as const) {
      expect((await account.api.call(`/webhooks/${id}/${path}`, sent)).body.data).toEqual({ reason: 'invalid_state' });
    }
    await account.api.ok(`/webhooks/${id}`, undefined, { method: 'DELETE' });
  });

  test('400 for a redelivery without a moment', async () => {
    const { id } = await create(account);
    expect((await account.api.call(`/webhooks/${id}/redeliver`, {})).body.data.issues[0].path).toBe('since');
    expect((await account.api.call(`/webhooks/${id}/redeliver`, { since: 'yesterday' })).body.data.issues[0].path).toBe(
      'since',
    );
    await account.api.ok(`/webhooks/${id}`, undefined, { method: 'DELETE' });
  });

  test('DELETE answers {id, deleted: true}, and every change is audited', async () => {
    const { id } = await create(account);
    await account.api.ok(`/webhooks/${id}/rotate-secret`, {});
    await account.api.ok(`/webhooks/${id}`, { ordered: true }, { method: 'PUT' });
    expect(await account.api.ok(`/webhooks/${id}`, undefined, { method: 'DELETE' })).toEqual({ id, deleted: true });
    const rows = await platform.services.prisma.auditRow.findMany({
      where: { target: id },
      orderBy: [{ at: 'asc' }, { id: 'asc' }],
    });
    expect(rows.map(({ action }) => action).sort()).toEqual([
      'createWebhookEndpoint',
      'deleteWebhookEndpoint',
      'rotateWebhookSecret',
      'updateWebhookEndpoint',
    ]);
  });

  test('the database rejects an endpoint that refers to another account', async () => {
    const { id } = await create(other);
    await expect(
      platform.services.pool.query('UPDATE webhook_endpoints SET "storeId" = $1 WHERE id = $2', [account.storeId, id]),
    ).rejects.toMatchObject({ code: '23503' });
    await expect(
      platform.services.pool.query('UPDATE webhook_endpoints SET "platformAccountId" = $1 WHERE id = $2', [
        liveAccount.id,
        id,
      ]),
    ).rejects.toMatchObject({ code: '23503' });
  });
});
