import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { manualClock } from '../../src/kit/clock.ts';
import { settleUnknownPayments } from '../../src/payments/jobs.ts';
import { expectBooksToAgree, expectCountersToBeTrue, expectEventsToBeWhole, unsettledCount } from '../support/books.ts';
import { clientOf } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { startServerProcess } from '../support/server-process.ts';
import { chargeLoad, expectOneAnswerAKey, isInUse, strangeAnswers, succeeded } from './charge-load.ts';

/** FAULTS_SEED replays the instants of a run that failed, FAULTS_KILLS makes it longer. */
const seed = Number(process.env['FAULTS_SEED'] ?? randomInt(2 ** 31));
const kills = Number(process.env['FAULTS_KILLS'] ?? 8);
const killWithinMs = 1_200;
const settledWithinMs = 30_000;

const env: Record<string, string> = {
  VAULT_KEYS: `test:${randomBytes(32).toString('base64')}`,
  FINGERPRINT_KEY: randomBytes(32).toString('base64'),
  // Payments that hang are asked about sooner than in production, so that the test need not wait.
  PROCESSOR_TIMEOUT_MS: '500',
};
/** Looks on and does nothing: what is to be settled the killed server's successor must settle. */
let onlooker: TestPlatform;
const clock = manualClock(new Date());

beforeAll(async () => {
  env['DATABASE_URL'] = await freshDatabase();
  onlooker = await startTestPlatform({
    databaseUrl: env['DATABASE_URL'],
    env: { ...env, PROCESSOR_TIMEOUT_MS: '20000' },
    clock,
  });
});
afterAll(() => onlooker?.close());

test('a server killed at any instant has charged once for each key, and its successor says so', {
  timeout: 60_000 + kills * 10_000,
}, async () => {
  onTestFailed(() => console.error(`Replay with FAULTS_SEED=${seed} FAULTS_KILLS=${kills}.`));
  const random = seededRandom(seed);
  const partner = await seedPartner(onlooker);
  const accounts = [];
  for (let index = 0; index < 2 + kills / 2; index++) accounts.push(await partner.account());
  // Every other store's charges cascade, so that a kill may come between two attempts.
  for (const account of accounts.filter((_account, index) => index % 2 === 0))
    await cascadeAt(account, { errorRate: 0.3, declineRate: 0.2 }, {});
  const load = await chargeLoad(accounts, random);

  for (let kill = 0; kill < kills; kill++) {
    const server = await startServerProcess(env);
    const stopped = new AbortController();
    // What the last server left open is repeated while new charges come.
    const running = [load.run(() => server.url, stopped.signal), load.repeat(server.url)];
    await delay(random() * killWithinMs);
    await server.kill();
    stopped.abort();
    await Promise.all(running);
  }
  const server = await startServerProcess(env);
  try {
    await load.repeat(server.url);
    await expect.poll(() => unsettledCount(onlooker.env.pool), { timeout: settledWithinMs }).toBe(0);
    // Once more each, those that were answered too: the same answer, and no second effect.
    await load.repeat(server.url, () => true);
  } finally {
    await server.stop();
  }

  expect(strangeAnswers(load.calls, isInUse)).toEqual([]);
  expectOneAnswerAKey(load.calls);
  expect(await onlooker.env.prisma.payment.count()).toBe(load.calls.length);
  await expectBooksToAgree(onlooker.env.pool);
  await expectEventsToBeWhole(onlooker.env.pool);
  await expectCountersToBeTrue(onlooker.env.pool);
  console.info(
    `${kills} kills survived, ${load.calls.length} charges, ${load.calls.filter((call) => succeeded(call).length > 1).length} of them answered more than once, seed ${seed}`,
  );
});

/** Makes the store's charges go by a cascade over processors that are set up with these. */
async function cascadeAt({ api, storeId }: SeededAccount, ...options: object[]): Promise<string[]> {
  const ids: string[] = [];
  for (const given of options)
    ids.push((await api.ok('/processors/create', { name: 'Rehearsal', type: 'test', options: given })).id);
  const { id: paymentFlowId } = await api.ok('/payment-flows/create', {
    name: 'Cascade',
    strategy: 'cascade',
    processors: [{ processorId: ids[0] }],
    fallbacks: ids.slice(1).map((processorId, order) => ({ processorId, order })),
  });
  await api.ok(`/stores/${storeId}`, { paymentFlowId }, { method: 'PUT' });
  return ids;
}

/** Runs the call against a server that is killed while the processor has its booking in hand, and settles what is left by the onlooker. */
async function killedWhileTheProcessorBooks(call: (url: string) => Promise<unknown>): Promise<void> {
  const { pool } = onlooker.env;
  const server = await startServerProcess({ ...env, PROCESSOR_TIMEOUT_MS: '30000' });
  const holder = await pool.connect();
  const waiting = async () =>
    (
      await pool.query<{ n: number }>(
        `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'test-processor' AND wait_event_type = 'Lock'`,
      )
    ).rows[0]?.n;
  try {
    await holder.query('BEGIN');
    // The processor can read its books and not write them: the call is with it, and its outcome is open.
    await holder.query('LOCK TABLE test_processor.charges IN EXCLUSIVE MODE');
    const called = call(server.url).catch(() => 'cut off');
    await expect.poll(waiting, { timeout: 5_000 }).toBe(1);
    await server.kill();
    expect(await called).toBe('cut off');
    clock.set(new Date(Date.now() + 60_000));
    const settled = settleUnknownPayments(onlooker.env);
    // The worker found nothing and sends it again, while the first one still waits to be booked: it arrives after all.
    await expect.poll(waiting, { timeout: 5_000 }).toBe(2);
    await holder.query('COMMIT');
    expect(await settled).toBe(1);
  } finally {
    holder.release();
    await server.kill();
  }
}

async function expectSettledOnce(paymentId: string, types: string[]): Promise<void> {
  const { pool, prisma } = onlooker.env;
  const events = await prisma.event.findMany({ where: { objectId: paymentId }, orderBy: { sequence: 'asc' } });
  expect(events.map(({ type }) => type)).toEqual(types);
  const { rows } = await pool.query(
    'SELECT count(*) AS n FROM test_processor.charges c JOIN transactions t ON t.id = c.reference WHERE t."paymentId" = $1',
    [paymentId],
  );
  expect(rows[0].n).toBe(1);
  await expectBooksToAgree(pool);
}

test('one booking when a server dies between its intent and the processor, and both the first call and the repeat arrive', async () => {
  const account = await (await seedPartner(onlooker)).account();
  const { id: paymentInstrumentId } = await account.instrument();
  const options = { headers: { 'Idempotency-Key': 'died-in-between' } };
  const body = { paymentInstrumentId, amount: 4_200, currency: 'USD' };
  await killedWhileTheProcessorBooks((url) =>
    clientOf({ url }, account.subKey).call('/payments/process', body, options),
  );
  const { payment } = await account.api.ok('/payments/process', body, options);
  expect(payment).toMatchObject({ status: 'succeeded', capturedAmount: 4_200 });
  await expectSettledOnce(payment.id, ['payment/created', 'payment/succeeded']);
});

test('one booking when a server dies while it continues a payment, and a repeat under its key tells how it went', async () => {
  const account = await (await seedPartner(onlooker)).account();
  const { payment: before } = await account.charge('4000000000003220');
  const { url: challenge } = before['requireActionData'] as { url: string };
  await fetch(challenge, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"outcome":"success"}',
  });
  const options = { headers: { 'Idempotency-Key': 'died-continuing' } };
  const body = { paymentId: before['id'] };
  await killedWhileTheProcessorBooks((url) =>
    clientOf({ url }, account.subKey).call('/payments/continue', body, options),
  );
  const { payment } = await account.api.ok('/payments/continue', body, options);
  expect(payment).toMatchObject({ id: before['id'], status: 'succeeded' });
  await expectSettledOnce(payment.id, ['payment/created', 'payment/actionRequired', 'payment/succeeded']);
});

test.each([
  ['while the first processor has it', [{ errorRate: 1, latencyMs: 30_000 }, {}], 1],
  ['while the second processor has it', [{ errorRate: 1 }, { latencyMs: 30_000 }], 2],
])('one charge for a cascade whose server dies %s: a worker goes on from there, and a repeat under its key tells how it went', async (_when, options, attempts) => {
  const account = await (await seedPartner(onlooker)).account();
  const ids = await cascadeAt(account, ...options);
  const { id: paymentInstrumentId } = await account.instrument();
  const key = { headers: { 'Idempotency-Key': 'died-in-a-cascade' } };
  const body = { paymentInstrumentId, amount: 4_200, currency: 'USD' };
  const { prisma, pool } = onlooker.env;
  const server = await startServerProcess({ ...env, PROCESSOR_TIMEOUT_MS: '30000' });
  try {
    const called = clientOf({ url: server.url }, account.subKey)
      .call('/payments/process', body, key)
      .catch(() => 'cut off');
    const booked = async () =>
      (
        await pool.query(
          'SELECT count(*)::int AS n FROM test_processor.charges c JOIN transactions t ON t.id = c.reference WHERE t."platformAccountId" = $1',
          [account.id],
        )
      ).rows[0].n;
    await expect.poll(booked, { timeout: 5_000 }).toBe(attempts);
    await server.kill();
    expect(await called).toBe('cut off');
  } finally {
    await server.kill();
  }
  clock.set(new Date(Date.now() + 60_000));
  expect(await settleUnknownPayments(onlooker.env)).toBe(1);
  const { payment, transactions } = await account.api.ok('/payments/process', body, key);
  expect(payment).toMatchObject({ status: 'succeeded', capturedAmount: 4_200, processorId: ids[1] });
  expect(
    transactions.map(({ status, processorId }: { status: string; processorId: string }) => [status, processorId]),
  ).toEqual([
    ['failed', ids[0]],
    ['succeeded', ids[1]],
  ]);
  expect(await prisma.payment.count({ where: { platformAccountId: account.id } })).toBe(1);
  expect(
    (await prisma.event.findMany({ where: { objectId: payment.id }, orderBy: { sequence: 'asc' } })).map(
      ({ type }) => type,
    ),
  ).toEqual(['payment/created', 'payment/succeeded']);
  await expectBooksToAgree(pool);
});
