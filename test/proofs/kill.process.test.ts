// guards: src/unit-of-work src/database src/domains/payments src/adapters/test-processor src/domains/orders src/jobs src/call
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { freshDatabase } from '../support/database.ts';
import {
  expectCountersToBeTrue,
  expectEventsToBeWhole,
  expectLedgersToAgree,
  unresolvedCount,
} from '../support/ledger.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { disableRateLimits } from '../support/rates.ts';
import { seedPartner } from '../support/seed.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { newSecrets, startServerProcess } from '../support/server-process.ts';
import { cascadeAt, chargeLoad, expectOneAnswerAKey, isInUse, succeeded, unexpectedAnswers } from './charge-load.ts';

/** FAULTS_SEED replays the kill times of a failed run, FAULTS_KILLS makes it longer. */
const seed = Number(process.env['FAULTS_SEED'] ?? randomInt(2 ** 31));
const kills = Number(process.env['FAULTS_KILLS'] ?? 3);
const killWithinMs = 1_200;
const resolvedWithinMs = 30_000;

const env: Record<string, string> = {
  ...newSecrets(),
  // Unanswered payments are queried sooner than in production, so that the test need not wait.
  PROCESSOR_TIMEOUT_MS: '500',
};
/** Observes only: the successor of the killed server must resolve unknown outcomes. */
let observer: TestPlatform;

beforeAll(async () => {
  env['DATABASE_URL'] = await freshDatabase();
  observer = await startTestPlatform({
    databaseUrl: env['DATABASE_URL'],
    env: { ...env, PROCESSOR_TIMEOUT_MS: '20000' },
  });
  await disableRateLimits(observer);
});
afterAll(() => observer?.close());

test('a server killed at any instant has charged once a key, and the next server answers so', {
  timeout: 60_000 + kills * 10_000,
}, async () => {
  onTestFailed(() => console.error(`Replay with FAULTS_SEED=${seed} FAULTS_KILLS=${kills}.`));
  const random = seededRandom(seed);
  const partner = await seedPartner(observer);
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
    await expect.poll(() => unresolvedCount(observer.services.pool), { timeout: resolvedWithinMs }).toBe(0);
    // Every call is repeated once more, including answered ones: the same answer, and no second effect.
    await load.repeat(server.url, () => true);
  } finally {
    await server.stop();
  }

  expect(unexpectedAnswers(load.calls, isInUse)).toEqual([]);
  expectOneAnswerAKey(load.calls);
  expect(await observer.services.prisma.payment.count()).toBe(load.calls.length);
  await expectLedgersToAgree(observer.services.pool);
  await expectEventsToBeWhole(observer.services.pool);
  await expectCountersToBeTrue(observer.services.pool);
  console.info(
    `${kills} kills survived, ${load.calls.length} charges, ` +
      `${load.calls.filter((call) => succeeded(call).length > 1).length} of them answered more than once, seed ` +
      `${seed}`,
  );
});
