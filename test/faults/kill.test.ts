import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { resolveUnknownPayments } from '../../src/domains/payments/resolve-unknown-payments.ts';
import { manualClock } from '../../src/kit/clock.ts';
import { clientOf } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import {
  expectCountersToBeTrue,
  expectEventsToBeWhole,
  expectLedgersToAgree,
  unresolvedCount,
} from '../support/ledger.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { startServerProcess } from '../support/server-process.ts';
import { chargeLoad, expectOneAnswerAKey, isInUse, succeeded, unexpectedAnswers } from './charge-load.ts';

/** FAULTS_SEED replays the kill times of a failed run, FAULTS_KILLS makes it longer. */
const seed = Number(process.env['FAULTS_SEED'] ?? randomInt(2 ** 31));
const kills = Number(process.env['FAULTS_KILLS'] ?? 8);
const killWithinMs = 1_200;
const resolvedWithinMs = 30_000;

const env: Record<string, string> = {
  VAULT_KEYS: `test:${randomBytes(32).toString('base64')}`,
  FINGERPRINT_KEY: randomBytes(32).toString('base64'),
  IDP_SECRET: randomBytes(32).toString('base64'),
  // Unanswered payments are queried sooner than in production, so that the test need not wait.
  PROCESSOR_TIMEOUT_MS: '500',
};
/** Observes only: the successor of the killed server must resolve unknown outcomes. */
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

test('a server killed at any instant has charged once a key, and the next server answers so', {
  timeout: 60_000 + kills * 10_000,
}, async () => {
  onTestFailed(() => console.error(`Replay with FAULTS_SEED=${seed} FAULTS_KILLS=${kills}.`));
  const random = seededRandom(seed);
  const partner = await seedPartner(onlooker);
  const accounts = [];
  for (let index = 0; index < 2 + kills / 2; index++) accounts.push(await partner.account());
  // The charges of every other store cascade, so that a kill may occur between two attempts.
  for (const account of accounts.filter((_account, index) => index % 2 === 0))
    await cascadeAt(account, { errorRate: 0.3, declineRate: 0.2 }, {});
  const load = await chargeLoad(accounts, random);

  for (let kill = 0; kill < kills; kill++) {
    const server = await startServerProcess(env);
    const stopped = new AbortController();
    // Calls that the last server left unanswered are repeated while new charges arrive.
    const running = [load.run(() => server.url, stopped.signal), load.repeat(server.url)];
    await delay(random() * killWithinMs);
    await server.kill();
    stopped.abort();
    await Promise.all(running);
  }
  const server = await startServerProcess(env);
  try {
    await load.repeat(server.url);
    await expect.poll(() => unresolvedCount(onlooker.services.pool), { timeout: resolvedWithinMs }).toBe(0);
    // Every call is repeated once more, including answered ones: the same answer, and no second effect.
    await load.repeat(server.url, () => true);
  } finally {
    await server.stop();
  }

  expect(unexpectedAnswers(load.calls, isInUse)).toEqual([]);
  expectOneAnswerAKey(load.calls);
  expect(await onlooker.services.prisma.payment.count()).toBe(load.calls.length);
  await expectLedgersToAgree(onlooker.services.pool);
  await expectEventsToBeWhole(onlooker.services.pool);
  await expectCountersToBeTrue(onlooker.services.pool);
  console.info(
    `${kills} kills survived, ${load.calls.length} charges, ` +
      `${load.calls.filter((call) => succeeded(call).length > 1).length} of them answered more than once, seed ` +
      `${seed}`,
  );
});

/** Makes the store's charges cascade over processors with these configurations. */
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

/**
 * Runs the call against a server that is killed while the processor is recording it; the onlooker then resolves the
 * unknown outcomes.
 */
async function killWhileProcessorRecords(call: (url: string) => Promise<unknown>): Promise<void> {
  const { pool } = onlooker.services;
  const server = await startServerProcess({ ...env, PROCESSOR_TIMEOUT_MS: '30000' });
  const holder = await pool.connect();
  const waiting = async () =>
    (
      await pool.query<{ n: number }>(
        `SELECT count(*) AS n
          FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'test-processor' AND wait_event_type = 'Lock'
            -- A charge, and not the job that fails refunds.
            AND query NOT LIKE '%follow_ups%'`,
      )
    ).rows[0]?.n;
  try {
    await holder.query('BEGIN');
    // The processor can read its records and not write them: the call is in flight, and its outcome is unknown.
    await holder.query('LOCK TABLE test_processor.charges IN EXCLUSIVE MODE');
    const called = call(server.url).catch(() => 'cut off');
    await expect.poll(waiting, { timeout: 5_000 }).toBe(1);
    await server.kill();
    expect(await called).toBe('cut off');
    clock.set(new Date(Date.now() + 60_000));
    const resolved = resolveUnknownPayments(onlooker.services);
    // The job found no record and sends the call again while the first one still waits to be recorded: the first one
    // arrives after all.
    await expect.poll(waiting, { timeout: 5_000 }).toBe(2);
    await holder.query('COMMIT');
    expect(await resolved).toBe(1);
  } finally {
    holder.release();
    await server.kill();
  }
}

async function expectResolvedOnce(paymentId: string, types: string[]): Promise<void> {
  const { pool, prisma } = onlooker.services;
  const events = await prisma.event.findMany({ where: { objectId: paymentId }, orderBy: { sequence: 'asc' } });
  expect(events.map(({ type }) => type)).toEqual(types);
  const { rows } = await pool.query(
    'SELECT count(*) AS n FROM test_processor.charges c JOIN transactions t ON t.id = c.reference WHERE ' +
      't."paymentId" = $1',
    [paymentId],
  );
  expect(rows[0].n).toBe(1);
  await expectLedgersToAgree(pool);
}

test('one posting when a server dies between intent and processor, and both call and repeat arrive', async () => {
  const account = await (await seedPartner(onlooker)).account();
  const { id: paymentInstrumentId } = await account.instrument();
  const options = { headers: { 'Idempotency-Key': 'died-in-between' } };
  const body = { paymentInstrumentId, amount: 4_200, currency: 'USD' };
  await killWhileProcessorRecords((url) => clientOf({ url }, account.subKey).call('/payments/process', body, options));
  const { payment } = await account.api.ok('/payments/process', body, options);
  expect(payment).toMatchObject({ status: 'succeeded', capturedAmount: 4_200 });
  await expectResolvedOnce(payment.id, ['payment/created', 'payment/succeeded']);
});

test('one posting when a server dies while it continues a payment; a repeat returns the outcome', async () => {
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
  await killWhileProcessorRecords((url) => clientOf({ url }, account.subKey).call('/payments/continue', body, options));
  const { payment } = await account.api.ok('/payments/continue', body, options);
  expect(payment).toMatchObject({ id: before['id'], status: 'succeeded' });
  await expectResolvedOnce(payment.id, ['payment/created', 'payment/actionRequired', 'payment/succeeded']);
});

test.each([
  ['while the first processor has it', [{ errorRate: 1, latencyMs: 30_000 }, {}], 1],
  ['while the second processor has it', [{ errorRate: 1 }, { latencyMs: 30_000 }], 2],
])('one charge for a cascade whose server dies %s, and a repeat returns it', async (_when, options, attempts) => {
  const account = await (await seedPartner(onlooker)).account();
  const ids = await cascadeAt(account, ...options);
  const { id: paymentInstrumentId } = await account.instrument();
  const key = { headers: { 'Idempotency-Key': 'died-in-a-cascade' } };
  const body = { paymentInstrumentId, amount: 4_200, currency: 'USD' };
  const { prisma, pool } = onlooker.services;
  const server = await startServerProcess({ ...env, PROCESSOR_TIMEOUT_MS: '30000' });
  try {
    const called = clientOf({ url: server.url }, account.subKey)
      .call('/payments/process', body, key)
      .catch(() => 'cut off');
    const countRecorded = async () =>
      (
        await pool.query(
          'SELECT count(*)::int AS n FROM test_processor.charges c JOIN transactions t ON t.id = c.reference ' +
            'WHERE t."platformAccountId" = $1',
          [account.id],
        )
      ).rows[0].n;
    await expect.poll(countRecorded, { timeout: 5_000 }).toBe(attempts);
    await server.kill();
    expect(await called).toBe('cut off');
  } finally {
    await server.kill();
  }
  clock.set(new Date(Date.now() + 60_000));
  expect(await resolveUnknownPayments(onlooker.services)).toBe(1);
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
  await expectLedgersToAgree(pool);
});
