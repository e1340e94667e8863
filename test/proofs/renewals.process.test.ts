// guards: src/unit-of-work src/database src/domains/payments src/adapters/test-processor src/domains/subscriptions src/jobs
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { setWaits } from '../../src/database/waits.ts';
import { resolveUnknownPayments } from '../../src/domains/payments/resolution/resolve.ts';
import { runDueSubscriptions } from '../../src/domains/subscriptions/periods/run-subscription.ts';
import { clientOf } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import { expectEventsToBeWhole, expectLedgersToAgree, unresolvedCount } from '../support/ledger.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { newSecrets, type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { dayMs, expectOneEventATransition, priceOf } from '../support/subscriptions.ts';

/** FAULTS_SEED replays the kill times of a failed run, FAULTS_RENEWAL_KILLS makes it longer. */
const seed = Number(process.env['FAULTS_SEED'] ?? randomInt(2 ** 31));
const kills = Number(process.env['FAULTS_RENEWAL_KILLS'] ?? 2);
const killWithinMs = 900;
/** Each is several months behind, so that one pass over all of them takes longer than a server lives. */
const subscribers = 5;
const monthsBehind = 6;

const env: Record<string, string> = {
  ...newSecrets(),
  PROCESSOR_TIMEOUT_MS: '500',
};
let observer: TestPlatform;
let account: SeededAccount;
/** The one after the killed ones of the first kills. It is killed by the last test. */
let server: ServerProcess;

beforeAll(async () => {
  env['DATABASE_URL'] = await freshDatabase();
  observer = await startTestPlatform({ databaseUrl: env['DATABASE_URL'], env });
  setWaits(observer.services.pool, { runningCallMs: 400 });
  account = await (await seedPartner(observer)).account();
});
afterAll(async () => {
  await server?.kill();
  await observer?.close();
});

/** Subscriptions that started months ago and have not been charged since. */
async function subscribersBehind(count: number): Promise<string[]> {
  const priceId = await priceOf(account);
  const ids: string[] = [];
  for (let index = 0; index < count; index++)
    ids.push(
      (await account.api.ok('/subscriptions/create', { customerId: (await account.instrument()).customerId, priceId }))
        .id,
    );
  const months = (n: number) => new Date(Date.now() - n * 30.5 * dayMs);
  await observer.services.pool.query(
    'UPDATE subscriptions SET "anchorAt" = $2, "currentPeriodStart" = $2, "currentPeriodEnd" = $3, ' +
      '"nextBillingDate" = $3, "dueAt" = $3 WHERE id = ANY($1)',
    [ids, months(monthsBehind + 0.5), months(monthsBehind - 0.5)],
  );
  return ids;
}

/** The periods of every subscription are consecutive up to now, each charged once and reported by one event. */
async function expectOneChargeAPeriod(ids: readonly string[]): Promise<void> {
  const { pool } = observer.services;
  for (const id of ids) {
    const {
      rows: [subscription],
    } = await pool.query('SELECT * FROM subscriptions WHERE id = $1', [id]);
    expect(subscription).toMatchObject({ status: 'active', chargingSince: null });
    expect(subscription.currentPeriodEnd.getTime()).toBeGreaterThan(Date.now());
    const { rows: payments } = await pool.query(
      'SELECT "subscriptionPeriod" AS period, status FROM payments WHERE "subscriptionId" = $1 ORDER BY ' +
        '"subscriptionPeriod"',
      [id],
    );
    expect(payments).toEqual(
      Array.from({ length: subscription.periodIndex }, (_, index) => ({ period: index + 1, status: 'succeeded' })),
    );
    expect(payments.length).toBeGreaterThanOrEqual(monthsBehind);
    const { rows: events } = await pool.query(
      'SELECT sequence, type FROM events WHERE "objectId" = $1 ORDER BY sequence',
      [id],
    );
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter(({ type }) => type === 'subscription/rebillSucceeded').length).toBe(payments.length - 1);
  }
  await expectLedgersToAgree(pool);
  await expectEventsToBeWhole(pool);
}

test('several processes and passes that renew at once: one charge a period', { timeout: 60_000 }, async () => {
  const ids = await subscribersBehind(4);
  const second = await startTestPlatform({ databaseUrl: env['DATABASE_URL'] ?? '', env });
  try {
    for (let round = 0; round < 3; round++) {
      await observer.services.pool.query(
        'UPDATE subscriptions SET "dueAt" = now() - interval \'1 second\' WHERE id = ANY($1)',
        [ids],
      );
      await Promise.all([observer, second, observer, second].map((platform) => runDueSubscriptions(platform.services)));
    }
  } finally {
    await second.close();
  }
  await expectOneChargeAPeriod(ids);
});

test('a server killed repeatedly during renewals: one charge a period', {
  timeout: 90_000 + kills * 20_000,
}, async () => {
  onTestFailed(() => console.error(`Replay with FAULTS_SEED=${seed} FAULTS_RENEWAL_KILLS=${kills}.`));
  const random = seededRandom(seed);
  const ids = await subscribersBehind(subscribers);
  const { pool } = observer.services;
  // Releases the claims of a killed server at once, and not after half a minute.
  const release = () =>
    pool.query(
      'UPDATE subscriptions SET "dueAt" = now() WHERE id = ANY($1) AND "dueAt" > now() AND ("chargingSince" IS ' +
        'NOT NULL OR "currentPeriodEnd" <= now())',
      [ids],
    );
  for (let kill = 0; kill < kills; kill++) {
    server = await startServerProcess(env);
    await delay(random() * killWithinMs);
    await server.kill();
    await release();
  }
  server = await startServerProcess(env);
  const behind = async () => {
    await release();
    return (
      (
        await pool.query(
          'SELECT count(*)::int AS n FROM subscriptions WHERE "chargingSince" IS NOT NULL OR ' +
            '"currentPeriodEnd" <= now()',
        )
      ).rows[0].n + (await unresolvedCount(pool))
    );
  };
  await expect.poll(behind, { timeout: 60_000, interval: 1_000 }).toBe(0);
  await expectOneChargeAPeriod(ids);
});

test('a create and changes of interval that a kill interrupts: each is made and charged once, and in force when it is paid', {
  timeout: 90_000,
}, async () => {
  onTestFailed(() => console.error(`Replay with FAULTS_SEED=${seed}.`));
  const { pool } = observer.services;
  const [monthly, yearly] = [await priceOf(account), await priceOf(account, { amount: 9000, interval: 'year' })];
  const ids: string[] = [];
  for (let index = 0; index < subscribers; index++) {
    const { customerId } = await account.instrument();
    ids.push((await account.api.ok('/subscriptions/create', { customerId, priceId: monthly })).id);
  }
  const { call } = clientOf(server, account.subKey);
  const { customerId } = await account.instrument();
  const create = (via: typeof call) =>
    via(
      '/subscriptions/create',
      { customerId, priceId: monthly },
      { headers: { 'Idempotency-Key': `cut-off-${seed}` } },
    );
  const update = (via: typeof call, subscriptionId: string) =>
    via(
      '/subscriptions/update',
      { subscriptionId, priceId: yearly },
      { headers: { 'Idempotency-Key': `to-yearly-${subscriptionId}` } },
    );
  const called = ids.map((id, index) =>
    delay(index * 15)
      .then(() => update(call, id))
      .catch(() => null),
  );
  const random = seededRandom(seed);
  await delay(random() * 100);
  const creating = create(call).catch(() => null);
  await delay(random() * 60);
  await server.kill();
  await Promise.all([...called, creating]);
  // What the killed server was at is claimed again at once, and not after half a minute.
  const resume = async () => {
    await pool.query(`UPDATE transactions SET "askedAt" = now() - interval '5 minutes' WHERE status = 'processing'`);
    await pool.query('UPDATE subscriptions SET "dueAt" = now() WHERE "chargingSince" IS NOT NULL');
    await resolveUnknownPayments(observer.services);
    await runDueSubscriptions(observer.services);
    const { rows } = await pool.query('SELECT count(*)::int AS n FROM subscriptions WHERE "chargingSince" IS NOT NULL');
    return rows[0].n + (await unresolvedCount(pool));
  };
  // A key is in use while the charge of its call is in flight, so the jobs go on until there is an answer.
  const answered = async (repeat: () => ReturnType<typeof call>): Promise<void> => {
    const statusThen = async () => {
      await resume();
      return (await repeat()).status;
    };
    await expect.poll(statusThen).toBe(200);
  };
  await answered(() => create(account.api.call));
  const { body: created } = await create(account.api.call);
  expect(created.status === 'active' || created.latestPayment?.subStatus === 'processing').toBe(true);
  expect(await observer.services.prisma.subscription.count({ where: { customerId } })).toBe(1);
  for (const id of ids) await answered(() => update(account.api.call, id));
  await expect.poll(resume, { timeout: 30_000 }).toBe(0);
  for (const id of ids) {
    expect(await account.api.ok(`/subscriptions/${id}`)).toMatchObject({
      status: 'active',
      priceId: yearly,
      pendingUpdate: null,
      balance: 0,
    });
    const { rows } = await pool.query(
      'SELECT "subscriptionPeriod" AS period, status FROM payments WHERE "subscriptionId" = $1 ORDER BY 1',
      [id],
    );
    expect(rows).toEqual([1, 2].map((period) => ({ period, status: 'succeeded' })));
  }
  expect(await observer.services.prisma.payment.count({ where: { subscriptionId: created.id } })).toBe(1);
  await expectOneEventATransition(observer);
  await expectLedgersToAgree(pool);
  await expectEventsToBeWhole(pool);
});
