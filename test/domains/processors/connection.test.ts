import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { connectionTo, processorSecrets } from '../../../src/domains/processors/connection.ts';
import { rewrapColumn } from '../../../src/keys/rewrap.ts';
import type { CardProcessor } from '../../../src/ports/card-processor.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';
import { callNames } from './port-suite.ts';

const [oldKey, newKey] = [`old:${randomBytes(32).toString('base64')}`, `new:${randomBytes(32).toString('base64')}`];
const secretKey = `sk_test_${'Unseen'.repeat(4)}`;
const webhookSecret = `whsec_${'Unheard'.repeat(4)}`;

const platform = await usePlatform({ env: { VAULT_KEYS: oldKey } });
const partner = await seedPartner(platform);
const account = await partner.account();

const create = (options: object, more: object = {}) =>
  account.api.call('/processors/create', { name: 'Cards', type: 'stripe', options, ...more });
const put = (id: string, body: object) => account.api.call(`/processors/${id}`, body, { method: 'PUT' });
const pathsOf = ({ status, body }: { status: number; body: { data?: { issues?: { path: string }[] } } }) => [
  status,
  ...(body.data?.issues ?? []).map(({ path }) => path),
];

test('200: secrets of a processor are named, never shown, stored, logged or replayed, and are sent', async () => {
  const call = () =>
    account.api.call(
      '/processors/create',
      { name: 'Cards', type: 'stripe', options: { secretKey, webhookSecret, accountId: 'acct_1' } },
      { headers: { 'Idempotency-Key': 'with-secrets' } },
    );
  const [first, second] = [await call(), await call()];
  expect(first.body).toMatchObject({
    connected: true,
    options: { accountId: 'acct_1' },
    secretOptions: ['secretKey', 'webhookSecret'],
  });
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('Idempotent-Replayed')).toBe('true');
  const { items } = await account.api.ok('/processors/list', { filters: { type: ['stripe'] } });
  expect(items).toContainEqual(first.body);

  const { rows } = await platform.services.pool.query(
    `SELECT
        (SELECT string_agg(p::text, ' ') FROM processors p) || (
          SELECT string_agg(i::text, ' ')
          FROM idempotency_records i
        ) || (SELECT string_agg(a::text, ' ') FROM audit_rows a) AS text`,
  );
  for (const text of [JSON.stringify([first.body, items]), rows[0].text, platform.logged.join('\n')])
    expect(text).not.toMatch(/Unseen|Unheard/);

  const connection = await connectionTo(platform.services, first.body.id);
  expect(connection.secrets).toEqual({ secretKey, webhookSecret });
  expect(connection.options).toEqual({ accountId: 'acct_1' });
  expect(inspect(connection, { depth: 9 }) + JSON.stringify({ ...connection })).not.toMatch(/Unseen|Unheard/);
});

test('200: an update changes the named options, null removes one; without its key it is disconnected', async () => {
  const { body } = await create({ secretKey, webhookSecret, accountId: 'acct_1' });
  expect(
    (await put(body.id, { name: 'Renamed', supportedCurrencies: ['EUR', 'EUR'], options: { accountId: 'acct_2' } }))
      .body,
  ).toMatchObject({
    name: 'Renamed',
    enabled: true,
    connected: true,
    supportedCurrencies: ['EUR'],
    options: { accountId: 'acct_2' },
    secretOptions: ['secretKey', 'webhookSecret'],
  });
  const other = `rk_test_${'Other'.repeat(4)}`;
  await put(body.id, { options: { secretKey: other } });
  expect((await connectionTo(platform.services, body.id)).secrets).toEqual({ secretKey: other, webhookSecret });
  expect(
    (await put(body.id, { enabled: false, supportedCurrencies: null, options: { secretKey: null, accountId: null } }))
      .body,
  ).toMatchObject({
    enabled: false,
    connected: false,
    supportedCurrencies: [],
    options: {},
    secretOptions: ['webhookSecret'],
  });
  expect((await put(body.id, {})).body).toMatchObject({ name: 'Renamed', connected: false });
});

test('400 naming the field for an unknown option, a key of the other mode, and an invalid key', async () => {
  expect(pathsOf(await create({ secretKey: 'sk_live_abc' }))).toEqual([400, 'options.secretKey']);
  expect(pathsOf(await create({ secretKey: 'sk_test_' }))).toEqual([400, 'options.secretKey']);
  expect(
    pathsOf(await create({ secretKey: `sk_test_${'x'.repeat(248)}`, webhookSecret: 7, accountId: 'x', apiKey: 'x' })),
  ).toEqual([400, 'options.secretKey', 'options.webhookSecret', 'options.accountId', 'options.apiKey']);
  expect((await create({ secretKey: `sk_test_${'x'.repeat(247)}` })).status).toBe(200);
  expect(pathsOf(await create({ note: 1 }, { type: 'test' }))).toEqual([400, 'options.note']);
  expect(pathsOf(await create({ constructor: 1 }, { type: 'test' }))).toEqual([400, 'options.constructor']);
  const { body } = await create({});
  expect(body.connected).toBe(false);
  expect(pathsOf(await put(body.id, { options: { secretKey: 'sk_live_abc' } }))).toEqual([400, 'options.secretKey']);
  for (const field of ['name', 'enabled', 'options'])
    expect(pathsOf(await put(body.id, { [field]: null }))).toEqual([400, field]);
  const live = await (await seedPartner(platform, 'live', partner.id)).account();
  expect(
    (await live.api.call('/processors/create', { name: 'Cards', type: 'stripe', options: { secretKey } })).status,
  ).toBe(400);
  expect(
    (
      await live.api.call('/processors/create', {
        name: 'Cards',
        type: 'stripe',
        options: { secretKey: 'rk_live_abc' },
      })
    ).status,
  ).toBe(200);
});

test('404 for the processor of another account, partner or mode, and an unknown one', async () => {
  const sibling = await partner.account();
  const live = await (await seedPartner(platform, 'live', partner.id)).account();
  const { id } = await live.api.ok('/processors/create', { name: 'Cards', type: 'stripe' });
  const { body } = await create({});
  for (const api of [sibling.api, (await seedPartner(platform)).api, live.api])
    expect((await api.call(`/processors/${body.id}`, { name: 'Mine' }, { method: 'PUT' })).status).toBe(404);
  for (const foreign of [id, 'proc_nothing']) expect((await put(foreign, { name: 'Mine' })).status).toBe(404);
  expect((await partner.api.call(`/processors/${body.id}`, { name: 'Ours' }, { method: 'PUT' })).body.name).toBe(
    'Ours',
  );
});

test('every call to a processor has the current record it is made for', async () => {
  const seen: string[] = [];
  // a Map at run time; only the server must not change it
  const processors = platform.services.processors as Map<string, CardProcessor>;
  const real = processors.get('test');
  if (!real) throw new Error('There is no test processor.');
  const watched = callNames.map((name) => [
    name,
    (call: { processor: { id: string } }) => (seen.push(`${name} ${call.processor.id}`), real[name](call as never)),
  ]); // passed on unchanged
  processors.set('test', { ...real, ...Object.fromEntries(watched) });
  const { id } = await account.api.ok('/processors/create', { name: 'Second', type: 'test' });
  const { payment } = await account.charge('4000000000003220', { processorId: id });
  const { threedsSessionId } = payment['requireActionData'] as { threedsSessionId: string };
  await fetch(`${platform.url}/test/3ds/${threedsSessionId}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"outcome":"success"}',
  });
  await account.api.ok('/payments/continue', { paymentId: payment['id'] });
  await put(id, { enabled: false });
  await account.api.ok('/payments/refund', { paymentId: payment['id'] });
  expect(seen).toEqual(['authorize', 'continueAuthorization', 'refund'].map((name) => `${name} ${id}`));
});

test('after the job every secret opens with the newest key alone', async () => {
  const { body } = await create({ secretKey, webhookSecret });
  const configWith = (vaultKeys: string) => ({
    pool: platform.services.pool,
    config: { ...platform.services.config, vaultKeys },
  });
  expect(await rewrapColumn(configWith(oldKey), processorSecrets, 100)).toBe(0);
  expect(await rewrapColumn(configWith(`${newKey},${oldKey}`), processorSecrets, 1)).toBe(1);
  expect(await rewrapColumn(configWith(`${newKey},${oldKey}`), processorSecrets, 100)).toBeGreaterThan(0);
  expect(await rewrapColumn(configWith(`${newKey},${oldKey}`), processorSecrets, 100)).toBe(0);
  expect((await connectionTo(configWith(newKey), body.id)).secrets).toEqual({ secretKey, webhookSecret });
});
