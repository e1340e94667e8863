// guards: src/database src/operating/prepare-database.ts src/observability/log.ts src/adapters/test-processor docs/self-hosting/high-availability.md
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { verifyAudit } from '../../src/iam/audit/verify-audit.ts';
import { type DatabasePair, startDatabasePair } from '../support/database-pair.ts';
import { type DatabaseSwitch, openDatabaseSwitch } from '../support/database-switch.ts';
import { unresolvedCount } from '../support/ledger.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';
import { newSecrets, type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { dayMs, priceOf } from '../support/subscriptions.ts';
import { lostAndDouble, type Measured, startFailoverLoad } from './failover-load.ts';

/**
 * FAULTS_FAILOVERS makes it longer: how often the primary is killed. FAULTS_DETECTION_MS is the time that passes until
 * the standby is promoted, which a manager of a cluster takes to notice that the primary is gone.
 */
const failovers = Number(process.env['FAULTS_FAILOVERS'] ?? 1);
const detectionMs = Number(process.env['FAULTS_DETECTION_MS'] ?? 1_000);
const subscribers = 3;
const monthsBehind = 4;
const parent = mkdtempSync(join(tmpdir(), 'platform-failover-'));
let pair: DatabasePair;
let line: DatabaseSwitch;
let observer: TestPlatform;
let server: ServerProcess;
let receiver: Receiver;
let partner: SeededPartner;
const accounts: SeededAccount[] = [];

beforeAll(async () => {
  pair = await startDatabasePair(parent);
  line = await openDatabaseSwitch(pair.url);
  const env = {
    DATABASE_URL: line.url,
    ...newSecrets(),
    WEBHOOK_ALLOW_PRIVATE: 'true',
  };
  observer = await startTestPlatform({ databaseUrl: line.url, env });
  receiver = await startReceiver();
  partner = await seedPartner(observer);
  for (let index = 0; index < 6; index++) accounts.push(await partner.account());
  await partner.api.ok('/webhooks', { url: receiver.url, eventTypes: ['payment/succeeded', 'payment/refunded'] });
  server = await startServerProcess(env);
});
afterAll(async () => {
  await server?.kill();
  await observer?.close().catch(() => {});
  await receiver?.close();
  await line?.close();
  await pair?.stop();
  rmSync(parent, { recursive: true, force: true });
});

const figures: Measured[] = [];

test('the primary killed under load: each acknowledged effect is there once, and the calls end with the outage', {
  timeout: 120_000 + failovers * 60_000,
}, async () => {
  const { services } = observer;
  const cards = [];
  for (const account of accounts) cards.push((await account.instrument()).id);
  const ids: string[] = [];
  const load = startFailoverLoad(server.url, { partnerKey: partner.partnerKey, accounts, cards });
  for (let failover = 0; failover < failovers; failover++) {
    await services.pool.query('DELETE FROM limits.buckets'); // the load must not end with the bucket of the plan
    const before = load.acknowledged.length;
    await expect.poll(() => load.acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(before + 20);
    ids.push(...(await subscribersBehind()));
    const measured = load.measure();
    pair.kill();
    line.cut();
    await delay(detectionMs); // part of the fault, not a wait for a condition
    await pair.promote();
    line.restore(pair.url);
    figures.push(await measured);
    await pair.rejoin();
  }
  await load.stop();

  await expect.poll(() => unresolvedCount(services.pool), { timeout: 30_000 }).toBe(0);
  await expect.poll(behindCount, { timeout: 90_000 }).toBe(0);
  await expect.poll(undeliveredCount, { timeout: 90_000 }).toBe(0);
  expect(await lostAndDouble(services.pool, load.acknowledged)).toEqual({ lost: 0, double: 0 });
  await expectOneChargeAPeriod(ids);
  expect((await verifyLedger(services)).differences).toEqual([]);
  expect(await verifyAudit(services.pool, services.auditKeys)).toMatchObject({ ok: true });
  const events = new Set(receiver.received.map(({ event }) => event.id));
  expect(events.size).toBe(await services.prisma.webhookDelivery.count());
  expect(server.process.exitCode).toBeNull();
  if (failovers > 1) console.log(tableOf(load.acknowledged.length, receiver.received.length - events.size));
});

test('503 on a connection to the standby, also for what only reads, and 200 on one to the primary', async () => {
  const [account] = accounts as [SeededAccount];
  line.restore(pair.standbyUrl);
  try {
    await expect.poll(() => readyStatus()).toBe(503);
    expect((await account.api.call('/customers/list', {})).status).toBe(503);
  } finally {
    line.restore(pair.url);
  }
  await expect.poll(() => readyStatus()).toBe(200);
  await expect.poll(async () => (await account.api.call('/customers/list', {})).status).toBe(200);
});

async function readyStatus(): Promise<number> {
  const response = await fetch(`${observer.url}/health/ready`);
  await response.text();
  return response.status;
}

/** Subscriptions that started months ago and have not been charged since. Their renewals are due at once. */
async function subscribersBehind(): Promise<string[]> {
  const [account] = accounts as [SeededAccount];
  const priceId = await priceOf(account);
  const ids: string[] = [];
  for (let index = 0; index < subscribers; index++) {
    const { customerId } = await account.instrument();
    ids.push((await account.api.ok('/subscriptions/create', { customerId, priceId })).id);
  }
  const months = (count: number) => new Date(Date.now() - count * 30.5 * dayMs);
  await observer.services.pool.query(
    `UPDATE subscriptions SET "anchorAt" = $2, "currentPeriodStart" = $2, "currentPeriodEnd" = $3,
      "nextBillingDate" = $3, "dueAt" = $3 WHERE id = ANY($1)`,
    [ids, months(monthsBehind + 0.5), months(monthsBehind - 0.5)],
  );
  return ids;
}

async function numberOf(sql: string, values: unknown[] = []): Promise<number> {
  const { rows } = await observer.services.pool.query<{ n: number }>(sql, values);
  return Number(rows[0]?.n);
}

const behindCount = () =>
  numberOf('SELECT count(*) AS n FROM subscriptions WHERE "chargingSince" IS NOT NULL OR "currentPeriodEnd" <= now()');

const undeliveredCount = () => numberOf(`SELECT count(*) AS n FROM webhook_deliveries WHERE status <> 'delivered'`);

/** The periods of every subscription are consecutive up to now, and each is charged once. */
async function expectOneChargeAPeriod(ids: readonly string[]): Promise<void> {
  const { rows } = await observer.services.pool.query<{ index: number; periods: number[] }>(
    `SELECT s."periodIndex" AS index, array_agg(p."subscriptionPeriod" ORDER BY p."subscriptionPeriod") AS periods
    FROM subscriptions s
    JOIN payments p ON p."subscriptionId" = s.id AND p.status = 'succeeded'
    WHERE s.id = ANY($1)
    GROUP BY s.id`,
    [ids],
  );
  expect(rows.length).toBe(ids.length);
  for (const { index, periods } of rows) {
    expect(periods).toEqual(Array.from({ length: index }, (_, at) => at + 1));
    expect(index).toBeGreaterThanOrEqual(monthsBehind);
  }
}

/** One line for each time that the primary was killed. */
function tableOf(acknowledged: number, redelivered: number): string {
  const seconds = (ms: number) => (ms / 1000).toFixed(1);
  const lines = figures.map(
    ({ firstMs, inFlightMs, errors }, index) =>
      `| ${index + 1} | ${seconds(firstMs)} | ${seconds(inFlightMs)} | ${Object.entries(errors)
        .map(([status, count]) => `${count} x ${status}`)
        .join(', ')} |`,
  );
  return [
    '| Kill | Seconds to the first 200 | Seconds until the calls in flight were 200 | Other answers |',
    '|---|---|---|---|',
    ...lines,
    `Acknowledged effects: ${acknowledged}. Lost 0, double 0. Events delivered more than once: ${redelivered}.`,
  ].join('\n');
}
