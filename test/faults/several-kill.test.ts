import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { resolveUnknownPayments } from '../../src/domains/payments/resolve-unknown-payments.ts';
import { manualClock } from '../../src/kit/clock.ts';
import { clientOf } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import { expectEventsToBeWhole } from '../support/ledger.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { priceOf } from '../support/subscriptions.ts';

const env: Record<string, string> = {
  VAULT_KEYS: `test:${randomBytes(32).toString('base64')}`,
  FINGERPRINT_KEY: randomBytes(32).toString('base64'),
  IDP_SECRET: randomBytes(32).toString('base64'),
  PROCESSOR_TIMEOUT_MS: '30000',
};
/** The server after the killed one. Its jobs run when the test runs them, at a time of the test. */
const clock = manualClock(new Date());
let next: TestPlatform;
let account: SeededAccount;

beforeAll(async () => {
  env['DATABASE_URL'] = await freshDatabase();
  next = await startTestPlatform({ databaseUrl: env['DATABASE_URL'], env, clock });
  account = await (await seedPartner(next)).account();
});
afterAll(() => next?.close());

const sql = (text: string, ...values: unknown[]) => next.services.pool.query(text, values);
const inUse = [409, 'idempotency_key_in_use'];
interface Call {
  path: string;
  body: object;
}
const send = (url: string, { path, body }: Call) =>
  clientOf({ url }, account.subKey).call(path, body, { headers: { 'Idempotency-Key': path } });
const told = async (call: Call) => {
  const { status, body } = await send(next.url, call);
  return [status, body.data?.reason];
};

test('after kill -9, calls on several objects and calls that charge are in use, then completed by their repeat', {
  timeout: 120_000,
}, async () => {
  const { customerId } = await account.instrument();
  const priceId = await priceOf(account);
  const subscriptionIds: string[] = [];
  const paymentIds: string[] = [];
  for (let n = 0; n < 3; n++) {
    subscriptionIds.push((await account.api.ok('/subscriptions/create', { customerId, priceId })).id);
    paymentIds.push((await account.charge('tok_visa', { amount: 500 })).payment['id'] as string);
  }
  const refund = { path: '/payments/refund', body: { paymentIds } };
  const cancel = { path: '/subscriptions/cancel', body: { subscriptionIds } };
  const subscribe = { path: '/subscriptions/create', body: { customerId, priceId } };
  const calls = [refund, cancel, subscribe];

  const server: ServerProcess = await startServerProcess(env);
  const holder = await next.services.pool.connect();
  await holder.query('BEGIN');
  // The second cancellation waits for its row; the processor can record neither a refund nor a charge.
  await holder.query('SELECT 1 FROM subscriptions WHERE id = $1 FOR UPDATE', [subscriptionIds[1]]);
  await holder.query('LOCK TABLE test_processor.charges, test_processor.follow_ups IN EXCLUSIVE MODE');
  const cutOff = calls.map((call) => send(server.url, call).catch(() => 'cut off'));
  const isUnderWay = `
    SELECT count(*) FILTER (WHERE operation = 'cancelSubscription:${subscriptionIds[0]}' AND answer IS NOT NULL) AS a,
      count(*) FILTER (WHERE operation = 'refundPayment:${paymentIds[0]}') AS b,
      (SELECT count(*) FROM payments WHERE status = 'pending') AS c
    FROM idempotency_records`;
  await expect.poll(async () => Object.values((await sql(isUnderWay)).rows[0]).map(Number)).toEqual([1, 1, 1]);
  await server.kill();
  expect(await Promise.all(cutOff)).toEqual(calls.map(() => 'cut off'));
  await holder.query('COMMIT');
  holder.release();
  expect(await told(cancel)).toEqual(inUse);

  // The process counts as alive for a moment; then the refund and the charge are unknown until the job has asked.
  await expect.poll(() => told(cancel), { timeout: 15_000 }).toEqual([200, undefined]);
  expect(await Promise.all([told(refund), told(subscribe)])).toEqual([inUse, inUse]);
  clock.set(new Date(Date.now() + 60_000));
  await expect.poll(() => resolveUnknownPayments(next.services)).toBeGreaterThan(0);
  for (const call of calls) await expect.poll(() => told(call), { timeout: 15_000 }).toEqual([200, undefined]);

  const [refunded, canceled, subscribed] = await Promise.all(calls.map((call) => send(next.url, call)));
  expect(refunded?.body.results.map(({ refund }: any) => refund?.status)).toEqual(paymentIds.map(() => 'succeeded'));
  expect(canceled?.body.results.map(({ subscription }: any) => subscription?.status)).toEqual(
    subscriptionIds.map(() => 'canceled'),
  );
  expect([subscribed?.body.status, subscribed?.body.latestPayment?.status]).toEqual(['active', 'succeeded']);
  const again = await Promise.all(calls.map((call) => send(next.url, call)));
  expect(again.map(({ body }) => body)).toEqual([refunded?.body, canceled?.body, subscribed?.body]);
  expect((await sql('SELECT count(*)::int AS n FROM refunds')).rows).toEqual([{ n: paymentIds.length }]);
  expect((await sql('SELECT count(*)::int AS n FROM subscriptions')).rows).toEqual([{ n: subscriptionIds.length + 1 }]);
  expect((await verifyLedger(next.services)).differences).toEqual([]);
  await expectEventsToBeWhole(next.services.pool);
});
