import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  ConflictError,
  ConnectionError,
  type LogEntry,
  Platform,
  RateLimitedError,
  ServerError,
  type TestPlatform as TestClient,
  TimeoutError,
} from '../../sdk/src/index.ts';
import { deliverWebhooks } from '../../src/domains/webhooks/deliveries/jobs.ts';
import { type FailingProxy, type FaultKind, startFailingProxy } from '../support/failing-proxy.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { startReceiver } from '../support/receiver.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

let server: TestPlatform;
let proxy: FailingProxy;
let account: SeededAccount;
let shop: TestClient;
let paymentInstrumentId: string;
const entries: LogEntry[] = [];

beforeAll(async () => {
  server = await startTestPlatform({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  account = await (await seedPartner(server)).account();
  ({ id: paymentInstrumentId } = await account.instrument());
  proxy = await startFailingProxy(server.url);
  shop = Platform.test(account.subKey, { baseUrl: proxy.url, log: (entry) => entries.push(entry) });
});
afterAll(async () => {
  await proxy?.close();
  await server?.close();
});
beforeEach(() => {
  entries.length = 0;
  proxy.keys.length = 0;
});

let amount = 1000;
const charge = (options = {}) =>
  shop.payments.process({ paymentInstrumentId, amount: ++amount, currency: 'USD' }, options);
const chargesOfIt = (): Promise<number> => server.services.prisma.payment.count({ where: { amount } });
const page = { 'Content-Type': 'text/html' };
const json = { 'Content-Type': 'application/json' };
const conflict = (reason: string): FaultKind => ({
  status: 409,
  headers: json,
  body: JSON.stringify({ code: 'CONFLICT', message: 'Not now.', data: { reason } }),
});

test.each<[string, FaultKind, number | undefined, string]>([
  ['the connection is cut before the platform has it', 'cut before', undefined, 'ConnectionError'],
  ['the connection is cut after the platform has charged', 'cut after', undefined, 'ConnectionError'],
  ['a proxy answers 502', { status: 502, headers: page, body: '<h1>Bad gateway</h1>' }, 502, 'ServerError'],
  [
    'the platform answers 500',
    { status: 500, headers: json, body: '{"code":"INTERNAL_SERVER_ERROR"}' },
    500,
    'INTERNAL_SERVER_ERROR',
  ],
  ['the same call is in progress', conflict('idempotency_key_in_use'), 409, 'CONFLICT'],
])('one charge when %s: the call is repeated under its key', async (_title, fate, status, error) => {
  proxy.next(fate);
  const { data, replayed } = await charge().withResponse();
  expect(data.payment).toMatchObject({ status: 'succeeded', amount });
  expect(replayed).toBe(fate === 'cut after');
  expect(entries).toMatchObject([
    { attempt: 1, error, retryInMs: expect.any(Number), ...(status !== undefined && { status }) },
    { attempt: 2, status: 200 },
  ]);
  expect(proxy.keys).toEqual([proxy.keys[0], proxy.keys[0]]);
  expect(proxy.keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(await chargesOfIt()).toBe(1);
});

test('one charge when the answer never comes: the attempt ends after timeoutMs', async () => {
  proxy.next('silence after');
  const { payment } = await charge({ timeoutMs: 2_000, maxRetries: 5 });
  expect(payment).toMatchObject({ status: 'succeeded', amount });
  expect(entries[0]).toMatchObject({ error: 'TimeoutError', retryInMs: expect.any(Number) });
  expect(new Set(proxy.keys).size).toBe(1);
  expect(await chargesOfIt()).toBe(1);
});

test('429 is repeated after what Retry-After asks for, and not when it asks for more than a minute', async () => {
  const busy = (seconds: number): FaultKind => ({
    status: 429,
    headers: { ...json, 'Retry-After': String(seconds) },
    body: '{}',
  });
  proxy.next(busy(1));
  expect((await charge()).payment).toMatchObject({ status: 'succeeded' });
  expect(entries[0]?.retryInMs).toBeGreaterThanOrEqual(1_000);
  proxy.next(busy(61));
  const late = charge();
  await expect(late).rejects.toThrow(RateLimitedError);
  await expect(late).rejects.toMatchObject({ status: 429, retryAfterMs: 61_000 });
  expect(await chargesOfIt()).toBe(0);
});

test('no other conflict and no other 4xx is repeated', async () => {
  for (const reason of ['invalid_state', 'idempotency_key_reused', 'payment_failed', 'already_exists'])
    proxy.next(conflict(reason));
  for (let index = 0; index < 4; index += 1) await expect(charge()).rejects.toThrow(ConflictError);
  await expect(shop.payments.get('pay_none')).rejects.toMatchObject({ status: 404 });
  await expect(shop.payments.process({} as never)).rejects.toMatchObject({ status: 400 });
  expect(entries.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 1]);
});

test('two repetitions by default, and then the error, whose key repeats the call: still one charge', async () => {
  proxy.next('cut before', 'cut before', 'cut after');
  const failed = await charge().catch((error: unknown) => error as ConnectionError);
  expect(failed).toBeInstanceOf(ConnectionError);
  expect(entries.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  const { idempotencyKey = '' } = failed as ConnectionError;
  const body = { paymentInstrumentId, amount, currency: 'USD' };
  const again = await shop.payments.process(body, { idempotencyKey }).withResponse();
  expect(again).toMatchObject({ replayed: true, data: { payment: { status: 'succeeded', amount } } });
  expect(await chargesOfIt()).toBe(1);
});

test('maxRetries 0 repeats nothing; a read is repeated without a key', async () => {
  proxy.next({ status: 503, headers: page });
  await expect(charge({ maxRetries: 0 })).rejects.toThrow(ServerError);
  proxy.next('cut before');
  expect(await shop.auth.test()).toMatchObject({ ok: true });
  proxy.next('silence after');
  await expect(shop.auth.test({ timeoutMs: 2_000, maxRetries: 0 })).rejects.toThrow(TimeoutError);
  expect(proxy.keys.slice(1)).toEqual([undefined, undefined, undefined]);
});

test('a signal ends the call with its reason, also between two attempts, and nothing is repeated', async () => {
  const reason = new Error('The visitor has gone.');
  const between = new AbortController();
  const leaving = Platform.test(account.subKey, {
    baseUrl: proxy.url,
    log: (entry) => entry.retryInMs !== undefined && between.abort(reason),
  });
  proxy.next('cut before');
  await expect(leaving.auth.test({ signal: between.signal })).rejects.toBe(reason);
  await expect(shop.auth.test({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(proxy.keys).toHaveLength(1);
});

test('payments.wait reads until the outcome is known, and no longer than it may', async () => {
  const { payment } = await charge();
  const processing: FaultKind = {
    status: 200,
    headers: json,
    body: JSON.stringify({ payment: { ...payment, status: 'pending', subStatus: 'processing' }, transactions: [] }),
  };
  proxy.next(processing, processing);
  expect(await shop.payments.wait(payment.id)).toMatchObject({ payment: { id: payment.id, subStatus: 'captured' } });
  expect(entries).toHaveLength(4);
  proxy.next(processing);
  await expect(shop.payments.wait(payment.id, { timeoutMs: 0 })).rejects.toThrow(/was not known within 0 ms/);
});

test('a list goes on at the page that failed', async () => {
  const emails = ['a', 'b', 'c'].map((name) => `${name}@list.example.com`);
  for (const email of emails) await shop.customers.create({ email });
  const filters = { email: { condition: 'ends-with', value: '@list.example.com' } } as const;
  proxy.next('pass', 'cut after', 'pass', 'pass');
  const listed = await shop.customers.list({ pageSize: 1, filters }).toArray({ limit: 10 });
  expect(listed.map(({ email }) => email).sort()).toEqual(emails);
});

test('a message that the platform sends is unwrapped with the secret of its endpoint', async () => {
  const receiver = await startReceiver();
  try {
    const { id, secret } = await shop.webhooks.create({ url: receiver.url, eventTypes: ['payment/succeeded'] });
    await shop.webhooks.test(id);
    await deliverWebhooks(server.services);
    const { payment } = await charge();
    await deliverWebhooks(server.services);
    const events = receiver.received.map(({ text, headers }) => shop.webhooks.unwrap(text, headers, secret ?? ''));
    expect(events).toMatchObject([
      { type: 'webhook/test', data: { object: { id } } },
      { type: 'payment/succeeded', livemode: false, data: { object: payment } },
    ]);
    const rotated = await shop.webhooks.rotateSecret(id);
    expect(rotated.secret).not.toBe(secret);
  } finally {
    await receiver.close();
  }
});
