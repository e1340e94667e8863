import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { resolveUnknownPayments } from '../../src/domains/payments/resolve-unknown-payments.ts';
import { runDueSubscriptions } from '../../src/domains/subscriptions/jobs.ts';
import { manualClock } from '../../src/kit/clock.ts';
import { freshDatabase } from '../support/database.ts';
import { expectEventsToBeWhole } from '../support/ledger.ts';
import { lockTable } from '../support/lock-waits.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';
import { startServerProcess } from '../support/server-process.ts';
import { chargesOf, dayMs, passTo, priceOf } from '../support/subscriptions.ts';

const env: Record<string, string> = {
  VAULT_KEYS: `test:${randomBytes(32).toString('base64')}`,
  FINGERPRINT_KEY: randomBytes(32).toString('base64'),
  IDP_SECRET: randomBytes(32).toString('base64'),
  PROCESSOR_TIMEOUT_MS: '30000',
};
/** The server after the killed one. Its jobs run when the test runs them, at a time of the test. */
const clock = manualClock(new Date(Date.now() - dayMs));
let next: TestPlatform;
let account: SeededAccount;

beforeAll(async () => {
  env['DATABASE_URL'] = await freshDatabase();
  next = await startTestPlatform({ databaseUrl: env['DATABASE_URL'], env, clock });
  account = await (await seedPartner(next)).account();
});
afterAll(() => next?.close());

const read = (id: string) => account.api.ok(`/subscriptions/${id}`);
const body = JSON.stringify({ cardNumber: '5555555555554444', expiry: '12 / 35', cvc: '123' });
const pay = async (server: { url: string }, path: string) => {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${server.url}${path}/pay`, { method: 'POST', headers, body });
  return response.status;
};
const show = async (path: string) => {
  const response = await fetch(`${next.url}${path}`, { headers: { Accept: 'text/html' } });
  return [response.status, await response.text()];
};
const count = async (text: string, ...values: unknown[]): Promise<number> =>
  (await next.services.pool.query(`SELECT count(*)::int AS n FROM ${text}`, values)).rows[0].n;

test('after kill -9 a payment of the page is made once, the subscription is active and the page says paid', {
  timeout: 90_000,
}, async () => {
  const priceId = await priceOf(account);
  const made = async () => {
    const { customerId } = await account.instrument('4000002760003184');
    return (await account.api.ok('/subscriptions/create', { customerId, priceId, trialDays: 1 })).id as string;
  };
  const [charged, opened] = [await made(), await made()];
  await passTo(next, clock, new Date());
  const pathOf = async (id: string) => new URL((await read(id)).actionRequired.url).pathname;
  const [chargedPath, openedPath] = [await pathOf(charged), await pathOf(opened)];
  const server = await startServerProcess(env);

  // One is charged at the processor and its outcome is not recorded.
  const atProcessor = await lockTable(next, 'test_processor.charges', 'SHARE');
  const cutOff = [pay(server, chargedPath).catch(() => 'cut off')];
  const pending = () => count(`payments WHERE "subscriptionId" = $1 AND status = 'pending'`, charged);
  await expect.poll(pending, { timeout: 15_000 }).toBe(1);
  const outcome = await next.services.pool.connect();
  await outcome.query('BEGIN');
  await outcome.query('SELECT 1 FROM subscriptions WHERE id = $1 FOR UPDATE', [charged]);
  await atProcessor();
  await expect.poll(() => count('test_processor.charges'), { timeout: 15_000 }).toBe(3);
  // The period of the other is opened and its charge has not begun.
  const begins = await lockTable(next, 'payment_flows');
  cutOff.push(pay(server, openedPath).catch(() => 'cut off'));
  const open = () => count(`subscription_periods WHERE "subscriptionId" = $1 AND status = 'charging'`, opened);
  await expect.poll(open, { timeout: 15_000 }).toBe(1);
  await server.kill();
  expect(await Promise.all(cutOff)).toEqual(['cut off', 'cut off']);
  // PostgreSQL would complete a statement that waits, though nobody is there for its answer.
  await outcome.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`);
  await begins();
  await outcome.query('COMMIT');
  outcome.release();

  for (const path of [chargedPath, openedPath]) {
    expect(await show(path)).toEqual([200, expect.stringContaining('You are charged once at most')]);
    expect(await pay(next, path)).toBe(200);
  }
  expect([await pending(), await count('test_processor.charges')]).toEqual([1, 3]);
  clock.set(new Date(Date.now() + 60_000));
  await expect.poll(() => resolveUnknownPayments(next.services), { timeout: 15_000 }).toBeGreaterThan(0);
  await runDueSubscriptions(next.services);
  for (const [id, path] of [
    [charged, chargedPath],
    [opened, openedPath],
  ] as const) {
    expect(await read(id)).toMatchObject({ status: 'active', latestPayment: { status: 'succeeded' } });
    expect(await show(path)).toEqual([410, expect.stringContaining('it is paid')]);
    expect(await pay(next, path)).toBe(200);
    expect((await chargesOf(next, id)).sort()).toEqual(['1000 declined', '1000 succeeded']);
  }
  expect(await count('test_processor.charges')).toBe(4);
  expect((await verifyLedger(next.services)).differences).toEqual([]);
  await expectEventsToBeWhole(next.services.pool);
});
