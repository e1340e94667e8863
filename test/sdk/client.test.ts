import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ConfigurationError,
  ConflictError,
  ConnectionError,
  InvalidInputError,
  type LogEntry,
  NotAuthorizedError,
  NotFoundError,
  Platform,
  type TestPlatform as TestClient,
  WrongAddressError,
  WrongModeError,
} from '../../sdk/src/index.ts';
import { newSecret } from '../../src/auth/secret.ts';
import { manualClock } from '../../src/lib/clock.ts';
import type { Client } from '../support/client.ts';
import { runExampleStory, shownEndpoints, storyBegins } from '../support/example-story.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { callBySdk } from '../support/sdk.ts';
import { type SeededPartner, seedPartner } from '../support/seed.ts';

const clock = manualClock(storyBegins);
const logged: LogEntry[] = [];
let server: TestPlatform;
let partner: SeededPartner;
let live: SeededPartner;
/** With the partner's keys, and with the sub-key of one account. */
let platform: TestClient;
let shop: TestClient;
let accountId: string;

beforeAll(async () => {
  server = await startTestPlatform({ clock, env: { PUBLIC_URL: 'https://pay.example.com' } });
  partner = await seedPartner(server);
  live = await seedPartner(server, 'live', partner.id);
  const account = await partner.account();
  accountId = account.id;
  platform = Platform.test(partner.partnerKey, { baseUrl: server.url, log: (entry) => logged.push(entry) });
  shop = platform.as(account.subKey);
});
afterAll(() => server?.close());

const written = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'rest', 'examples.json'), 'utf8'),
) as Record<string, { answer: unknown }>;
/** Those of the operations for API keys. */
const examples = Object.fromEntries(Object.entries(written).filter(([name]) => shownEndpoints.has(name)));

const slow = { timeout: 240_000 };
test('every operation, called by its method, answers what the API reference shows', slow, async () => {
  const time = manualClock(storyBegins);
  const own = await startTestPlatform({ clock: time, env: { PUBLIC_URL: 'https://pay.example.com' } });
  try {
    const seeded = await seedPartner(own);
    const sdk = Platform.test(seeded.partnerKey, { baseUrl: own.url });
    const bySdk: Client['ok'] = (path, body, { method, headers } = {}) =>
      callBySdk(sdk, method ?? (body === undefined ? 'GET' : 'POST'), path, body, headers);
    const reported = await runExampleStory({ url: own.url, api: { ...seeded.api, ok: bySdk }, clock: time });
    // One list has names of its own, which the SDK hides.
    const { stores, total, pageCount } = examples['ListStores']?.answer as Record<string, unknown>;
    const expected = {
      ...examples,
      ListStores: {
        ...examples['ListStores'],
        answer: { items: stores, total, page: 1, pageSize: 20, totalPages: pageCount },
      },
    };
    expect(reported).toEqual(expected);
  } finally {
    await own.close();
  }
});

describe('a client has one mode', () => {
  const baseUrl = 'https://pay.example.com';
  const key = (kind: 'partner' | 'sub', mode: 'test' | 'live'): string => newSecret(kind, mode).secret;

  test('a key of the other mode throws, whether the client is asked for by mode or made of another', () => {
    for (const kind of ['partner', 'sub'] as const) {
      expect(Platform.test(key(kind, 'test'), { baseUrl })).toMatchObject({ mode: 'test', keyKind: kind });
      expect(Platform.live(key(kind, 'live'), { baseUrl })).toMatchObject({ mode: 'live', keyKind: kind });
      expect(() => Platform.test(key(kind, 'live'), { baseUrl })).toThrow(WrongModeError);
      expect(() => Platform.live(key(kind, 'test'), { baseUrl })).toThrow(WrongModeError);
      expect(() => platform.as(key(kind, 'live'))).toThrow(/is of live mode, and this client is of test mode/);
      expect(() => platform.as({ secret: key(kind, 'live') })).toThrow(WrongModeError);
    }
  });

  test('test clocks and test disputes are there in test mode alone', () => {
    const made = (mode: 'test' | 'live') => new Platform({ apiKey: key('sub', mode), baseUrl });
    expect(made('test')).toHaveProperty('testClocks.advance');
    expect(made('test')).toHaveProperty('testDisputes.create');
    expect(made('live')).not.toHaveProperty('testClocks');
    expect(made('live')).not.toHaveProperty('testDisputes');
    const either = made('test');
    expect(either.isTest() && typeof either.testClocks.create).toBe('function');
    expect(either.isLive()).toBe(false);
  });

  test('an account, a key or another object of the other mode is refused before the call', async () => {
    const ofLive = Platform.live(live.partnerKey, { baseUrl: server.url });
    const account = await ofLive.accounts.create({ legalName: 'Live Shop' });
    const liveKey = await ofLive.apiKeys.create(account, { label: 'live' });
    const before = logged.length;
    expect(() => platform.apiKeys.create(account, { label: 'test' })).toThrow(WrongModeError);
    expect(() => platform.stores.create({ platformAccountId: account, name: 'x', type: 'platform' } as never)).toThrow(
      /platformAccountId is of live mode/,
    );
    expect(() => platform.apiKeys.revoke(liveKey)).toThrow(WrongModeError);
    expect(() => platform.as(liveKey)).toThrow(WrongModeError);
    expect(logged).toHaveLength(before);
    expect(await ofLive.apiKeys.revoke(liveKey)).toMatchObject({ id: liveKey.id, status: 'revoked' });
  });

  test('a secret that a stored answer leaves out is no client', async () => {
    const idempotencyKey = 'key-of-the-shop';
    const first = await platform.apiKeys.create(accountId, { label: 'shop' }, { idempotencyKey });
    const again = await platform.apiKeys.create(accountId, { label: 'shop' }, { idempotencyKey });
    expect(again).toEqual({ ...first, secret: null });
    expect(() => platform.as(again)).toThrow(/a secret is answered once/);
  });
});

describe('an error says what is wrong, and what to do', () => {
  const key = newSecret('sub', 'test').secret;
  const baseUrl = 'https://pay.example.com';

  test.each([
    ['no key', undefined, /The API key is missing/],
    ['an empty key', '', /The API key is missing/],
    ['a key with a line end', `${key}\n`, /white space/],
    ['half a key', key.slice(0, -1), /incomplete/],
    ['the secret of an endpoint', 'whsec_c2VjcmV0', /secret of a webhook endpoint/],
    ['a token of a person', 'eyJhbGciOi', /no API key of the platform/],
  ])('%s', (_title, apiKey, message) => {
    const make = (): Platform => new Platform({ apiKey: apiKey as string, baseUrl });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
  });

  test.each([
    ['', /not an address/],
    ['pay.example.com', /not an address/],
    ['ftp://pay.example.com', /not an address/],
    ['https://user:word@pay.example.com', /user name/],
    ['https://pay.example.com?x=1', /query/],
  ])('the base URL %s', (wrong, message) => {
    expect(() => new Platform({ apiKey: key, baseUrl: wrong })).toThrow(message);
  });

  test('the base URL may have a slash, or the path of the API', async () => {
    for (const end of ['', '/', '/api/public/v1', '/api/public/v1/'])
      expect(await Platform.test(partner.partnerKey, { baseUrl: server.url + end }).auth.test()).toMatchObject({
        ok: true,
      });
  });

  test('401 for an unknown key: its visible part and the platform are named, the key is not', async () => {
    const unknown = Platform.test(key, { baseUrl: server.url });
    const error = await unknown.auth.test().catch((thrown: unknown) => thrown as NotAuthorizedError);
    expect(error).toBeInstanceOf(NotAuthorizedError);
    expect(error).toMatchObject({ status: 401, code: 'NOT_AUTHORIZED', requestId: expect.stringMatching(/./) });
    expect(error).toHaveProperty('message', expect.stringContaining(key.slice(0, 19)));
    expect(error).toHaveProperty('message', expect.stringContaining(server.url));
    expect(inspect([error, unknown], { depth: 9, showHidden: true })).not.toContain(key);
  });

  test('a page, a redirect and nothing at all, where the platform should be', async () => {
    const stranger = createServer((request, response) => {
      if (request.url?.startsWith('/moved')) response.writeHead(301, { Location: 'https://elsewhere.example.com/' });
      response.end('<!doctype html>');
    });
    await new Promise<void>((listening) => stranger.listen(0, '127.0.0.1', listening));
    const { port } = stranger.address() as AddressInfo; // it listens on TCP
    const at = (address: string) => Platform.test(key, { baseUrl: address, maxRetries: 0 }).auth.test();
    const here = `http://127.0.0.1:${port}`;
    await expect(at(here)).rejects.toThrow(WrongAddressError);
    await expect(at(here)).rejects.toThrow(/answered 200 with .*, where the platform answers JSON. Set baseUrl/);
    await expect(at(`${here}/moved`)).rejects.toThrow(/a redirect to https:\/\/elsewhere.example.com. Set baseUrl/);
    // A page of the platform itself.
    await expect(at(`${server.url}/graphql`)).rejects.toMatchObject({ status: 404 });
    stranger.close();
    stranger.closeAllConnections();
    await expect(at(here)).rejects.toThrow(ConnectionError);
    await expect(at(here)).rejects.toThrow(/ECONNREFUSED.*Check baseUrl/);
  });

  test('a field is named; a row is not there; a state forbids it', async () => {
    const wrong = shop.payments.process({ paymentInstrumentId: 'pi_1', amount: 0, currency: 'usd' });
    await expect(wrong).rejects.toThrow(InvalidInputError);
    await expect(wrong).rejects.toMatchObject({
      status: 400,
      code: 'INPUT_PARSE_ERROR',
      issues: expect.arrayContaining([expect.objectContaining({ path: 'amount' })]),
      idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    await expect(shop.payments.get('pay_1')).rejects.toThrow(NotFoundError);
    const payment = await charge(2500);
    const captured = shop.payments.capture({ paymentId: payment });
    await expect(captured).rejects.toThrow(ConflictError);
    await expect(captured).rejects.toMatchObject({ status: 409, reason: 'invalid_state' });
    const deployed = platform.plugins.deploy({ manifest: {} } as never);
    await expect(deployed).rejects.toMatchObject({
      status: 400,
      issues: expect.arrayContaining([expect.objectContaining({ path: 'manifest.name' })]),
    });
  });

  test('a body above the limit is not sent; one at the limit is', async () => {
    const before = logged.length;
    const metadata = (bytes: number) => ({ metadata: { note: 'x'.repeat(bytes - '{"metadata":{"note":""}}'.length) } });
    await expect(platform.accounts.update(accountId, metadata(1_048_577))).rejects.toThrow(
      /1048577 bytes, and the platform takes 1048576 here/,
    );
    expect(logged).toHaveLength(before);
    await expect(platform.accounts.update(accountId, metadata(1_048_576))).rejects.toMatchObject({
      status: 400,
      issues: [{ path: expect.stringMatching(/^metadata/) }],
    });
    await expect(
      platform.request('PUT', `/accounts/${accountId}`, { body: metadata(1_100_000), maxRetries: 0 }),
    ).rejects.toThrow(/Send less|cut the connection/);
  });

  test('an identifier that is missing, or leads elsewhere, is not sent', async () => {
    for (const id of [undefined, '', '.', '..', 5])
      expect(() => shop.payments.get(id as string)).toThrow(/paymentId is missing/);
    await expect(shop.payments.get('../accounts/list')).rejects.toThrow(NotFoundError);
    for (const path of ['payments', '/../../../graphql', '/..', '/payments#x'])
      await expect(shop.request('GET', path)).rejects.toThrow(ConfigurationError);
    for (const idempotencyKey of ['', 'x'.repeat(256), 'schlüssel'])
      await expect(shop.orders.cancel({ orderId: 'ord_1' }, { idempotencyKey })).rejects.toThrow(/1 to 255/);
  });
});

async function charge(amount: number, options?: { idempotencyKey: string }) {
  const { paymentInstrument } = await shop.paymentInstruments.createFromToken({
    token: 'tok_visa',
    customerData: { email: 'payer@example.com' },
  });
  return (await shop.payments.process({ paymentInstrumentId: paymentInstrument, amount, currency: 'USD' }, options))
    .payment;
}

describe('an answer', () => {
  test('has what its headers say', async () => {
    const body = { legalName: 'Twice' };
    const first = await platform.accounts.create(body, { idempotencyKey: 'twice' }).withResponse();
    const again = await platform.accounts.create(body, { idempotencyKey: 'twice' }).withResponse();
    expect([first.replayed, again.replayed]).toEqual([false, true]);
    expect(again).toMatchObject({
      data: first.data,
      status: 200,
      requestId: expect.stringMatching(/^[\w-]{8,64}$/),
      rateLimit: { plan: 'premium', remaining: expect.any(Number), resetMs: expect.any(Number) },
      ignoredFields: [],
    });
    const misspelled = await shop.payments.list({ filtres: {}, pageSize: 1 } as object).withResponse();
    expect(misspelled.ignoredFields).toEqual(['filtres']);
  });

  test('is that of any path, too', async () => {
    expect(await platform.request('GET', `/accounts/${accountId}`)).toMatchObject({ id: accountId });
    const renamed = platform.request('PUT', `/accounts/${accountId}`, {
      body: { legalName: 'Renamed' },
      idempotencyKey: 'renamed',
    });
    expect(await renamed.withResponse()).toMatchObject({ data: { legalName: 'Renamed' }, replayed: false });
  });
});

describe('a list', () => {
  test('is its first page when awaited, and all its items when iterated: by cursor and by page', async () => {
    const own = platform.as(
      (await platform.apiKeys.create((await partner.account()).id, { label: 'lists' })).secret ?? '',
    );
    for (let index = 0; index < 5; index += 1) {
      clock.advance(1000);
      await own.customers.create({ email: `payer-${index}@example.com` });
      await own.products.create({ name: `Product ${index}`, prices: [{ currency: 'USD', amount: 100 }] });
    }
    const customers = own.customers.list({
      pageSize: 2,
      filters: { email: { condition: 'starts-with', value: 'payer' } },
    });
    expect(await customers).toMatchObject({ total: 5, page: 1, totalPages: 3, items: [{}, {}] });
    const emails: string[] = [];
    for await (const { email } of customers) emails.push(email);
    expect(emails).toEqual([4, 3, 2, 1, 0].map((index) => `payer-${index}@example.com`));
    const products = own.products.list({ pagination: { page: 1, pageSize: 2 } });
    expect((await products.toArray({ limit: 100 })).map(({ name }) => name)).toHaveLength(5);
    expect((await products.toArray({ limit: 3 })).map(({ name }) => name)).toEqual(
      [4, 3, 2].map((n) => `Product ${n}`),
    );
    const sizes: number[] = [];
    for await (const { items } of products.pages()) sizes.push(items.length);
    expect(sizes).toEqual([2, 2, 1]);
    expect((await own.stores.list().toArray({ limit: 5 })).length).toBe(1);
    await expect(products.toArray({ limit: 0 })).rejects.toThrow(/at least 1/);
  });
});

describe('the log', () => {
  test('has every attempt, and no key, body or identifier', async () => {
    const entries: LogEntry[] = [];
    const watched = Platform.test(partner.partnerKey, {
      baseUrl: server.url,
      log: (entry) => {
        entries.push(entry);
        throw new Error('A log that fails changes nothing.');
      },
    });
    const cardNumber = '4000056655665556';
    const { storeId } = await partner.account();
    await watched.paymentInstruments.tokenize({ storeId, cardNumber, expMonth: 12, expYear: 2035, cvc: '987' });
    await watched.paymentInstruments.get(cardNumber).catch(() => undefined);
    await watched.request('GET', `/payments/${cardNumber}?token=${cardNumber}`).catch(() => undefined);
    await watched.payments.list({ filtres: {} } as object);
    expect(entries).toMatchObject([
      { route: 'POST /payment-instruments/tokenize', attempt: 1, status: 200, requestId: expect.any(String) },
      { route: 'GET /payment-instruments/{paymentInstrumentId}', status: 404, error: 'NOT_FOUND' },
      { route: 'GET /payments/{…}', status: 404 },
      { route: 'POST /payments', status: 200, ignoredFields: ['filtres'] },
    ]);
    const text = JSON.stringify(entries);
    for (const secret of [cardNumber, '987', watched, partner.partnerKey, storeId].map(String))
      expect(text).not.toContain(secret);
  });
});
