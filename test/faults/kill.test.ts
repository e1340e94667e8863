import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { expectBooksToAgree, expectCountersToBeTrue, expectEventsToBeWhole, unsettledCount } from '../support/books.ts';
import { freshDatabase } from '../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';
import { startServerProcess } from '../support/server-process.ts';
import { chargeLoad, expectOneAnswerAKey, isInUse, seededRandom, strangeAnswers, succeeded } from './charge-load.ts';

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

beforeAll(async () => {
  env['DATABASE_URL'] = await freshDatabase();
  onlooker = await startTestPlatform({ databaseUrl: env['DATABASE_URL'], env });
});
afterAll(() => onlooker?.close());

test('a server killed at any instant has charged once for each key, and its successor says so', { timeout: 60_000 + kills * 10_000 }, async () => {
  onTestFailed(() => console.error(`Replay with FAULTS_SEED=${seed} FAULTS_KILLS=${kills}.`));
  const random = seededRandom(seed);
  const partner = await seedPartner(onlooker);
  const accounts = [];
  for (let index = 0; index < 2 + kills / 2; index++) accounts.push(await partner.account());
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
  console.info(`${kills} kills survived, ${load.calls.length} charges, ${load.calls.filter((call) => succeeded(call).length > 1).length} of them answered more than once, seed ${seed}`);
});
