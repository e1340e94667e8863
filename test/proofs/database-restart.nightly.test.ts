// guards: src/database src/operating/prepare-database.ts src/observability/log.ts src/adapters/test-processor
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/local/embedded-postgres.ts';
import {
  expectCountersToBeTrue,
  expectEventsToBeWhole,
  expectLedgersToAgree,
  unresolvedCount,
} from '../support/ledger.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { newSecrets, type ServerProcess, startServerProcess } from '../support/server-process.ts';
import {
  chargeLoad,
  expectOneAnswerAKey,
  isInUse,
  isUnavailable,
  succeeded,
  unexpectedAnswers,
} from './charge-load.ts';

/** FAULTS_OUTAGES makes it longer: the number of outages of each kind. */
const rounds = Number(process.env['FAULTS_OUTAGES'] ?? 1);
const parent = mkdtempSync(join(tmpdir(), 'platform-restart-'));
/** With fsync, unlike the server of the test run: a write that was answered with 200 must be on disk. */
const options = { dir: join(parent, 'postgres'), password: 'test' };
let database: EmbeddedPostgres;
let observer: TestPlatform;
let server: ServerProcess;
const accounts: SeededAccount[] = [];

beforeAll(async () => {
  database = await startEmbeddedPostgres(options);
  const env = {
    DATABASE_URL: database.url,
    ...newSecrets(),
    PROCESSOR_TIMEOUT_MS: '500',
  };
  observer = await startTestPlatform({ databaseUrl: database.url, env });
  const partner = await seedPartner(observer);
  for (let index = 0; index < 3; index++) accounts.push(await partner.account());
  server = await startServerProcess(env);
});
afterAll(async () => {
  await server?.kill();
  await observer?.close().catch(() => {}); // its connections are broken too
  await database?.stop();
  rmSync(parent, { recursive: true, force: true });
});

async function statusOf(path: string): Promise<number> {
  const response = await fetch(`${server.url}${path}`);
  await response.text();
  return response.status;
}

function postmaster(): number {
  return Number(readFileSync(join(options.dir, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** Another process takes the server over, as a start after a crash does. */
async function startAgain(): Promise<void> {
  const { url } = database;
  await database.stop('immediate');
  database = await startEmbeddedPostgres(options);
  expect(database.url).toBe(url);
}

/** Kinds of database outages, and the recovery from each. */
const outages: { name: string; begin(): Promise<void>; end(): Promise<void> }[] = [
  {
    name: 'the database is killed with kill -9 and started again',
    begin: async () => void process.kill(postmaster(), 'SIGKILL'),
    end: startAgain,
  },
  {
    name: 'one of its connections is killed with kill -9, at which it restarts by itself',
    begin: async () => {
      const { rows } = await observer.services.pool.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'platform' AND pid <> pg_backend_pid() LIMIT 1`,
      );
      if (rows[0]) process.kill(rows[0].pid, 'SIGKILL');
    },
    end: async () => {},
  },
  {
    name: 'it is stopped at once and started again',
    begin: () => database.stop('immediate'),
    end: startAgain,
  },
];

test('no wrong answer during database outages under load, and the server recovers without intervention', {
  timeout: 90_000 + rounds * 60_000,
}, async () => {
  const load = await chargeLoad(accounts, seededRandom(1));
  const ended = new AbortController();
  const alive: number[] = [];
  const watching = (async () => {
    while (!ended.signal.aborted) {
      alive.push(await statusOf('/health/live').catch(() => 0));
      await delay(20); // a sampling rate
    }
  })();
  const goodSince = async (count: number) => {
    await expect
      .poll(
        () =>
          server.process.exitCode !== null ||
          load.calls.slice(count).filter((call) => succeeded(call).length > 0).length > 10,
        { timeout: 20_000 },
      )
      .toBe(true);
    if (server.process.exitCode !== null) throw new Error(`The server ended: ${server.output().slice(-2_000)}`);
  };

  for (const { name, begin, end } of Array.from({ length: rounds }, () => outages).flat()) {
    const stopped = new AbortController();
    const running = load.run(() => server.url, stopped.signal);
    await goodSince(load.calls.length);
    await begin();
    if (end === startAgain) await expect.poll(() => statusOf('/health/ready'), { message: name }).toBe(503);
    await end();
    await expect.poll(() => statusOf('/health/ready'), { timeout: 15_000, message: name }).toBe(200);
    await goodSince(load.calls.length);
    stopped.abort();
    await running;
  }
  await load.repeat(server.url);
  await expect.poll(() => unresolvedCount(observer.services.pool).catch(() => -1), { timeout: 30_000 }).toBe(0);
  await load.repeat(server.url, () => true);
  ended.abort();
  await watching;

  expect(new Set(alive)).toEqual(new Set([200]));
  expect(unexpectedAnswers(load.calls, (answer) => isInUse(answer) || isUnavailable(answer))).toEqual([]);
  expectOneAnswerAKey(load.calls);
  expect(await observer.services.prisma.payment.count()).toBe(load.calls.length);
  await expectLedgersToAgree(observer.services.pool);
  await expectEventsToBeWhole(observer.services.pool);
  await expectCountersToBeTrue(observer.services.pool);
  expect(server.process.exitCode).toBeNull();
});
