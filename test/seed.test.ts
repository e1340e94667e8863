import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyAudit } from '../src/audit/verify.ts';
import { filling } from '../src/fill-database.ts';
import type { Demo } from '../src/kit/demo.ts';
import { freePort } from '../src/kit/embedded-postgres.ts';
import { createLog } from '../src/kit/log.ts';
import { verifyBooks } from '../src/ledger/operations.ts';
import { clientOf } from './support/client.ts';
import { freshDatabase } from './support/database.ts';
import { startTestPlatform, testConfig, type TestPlatform } from './support/platform.ts';

let platform: TestPlatform;
let directory: string;
let demo: Demo;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'platform-seed-'));
  const databaseUrl = await freshDatabase();
  await filling(testConfig(databaseUrl, { PLATFORM_DIR: directory }), createLog({ level: 'silent' }))(databaseUrl);
  demo = JSON.parse(readFileSync(join(directory, 'demo.json'), 'utf8')) as Demo;
  platform = await startTestPlatform({ databaseUrl, env: { PLATFORM_DIR: directory } });
});

afterAll(async () => {
  await platform.close();
  rmSync(directory, { recursive: true, force: true });
});

test('every state a payment can reach today is in the demo', async () => {
  const { rows } = await platform.env.pool.query<{ state: string }>(
    `SELECT DISTINCT concat_ws('/', status, "subStatus", "failureCode") AS state FROM payments ORDER BY state`,
  );
  expect(rows.map(({ state }) => state)).toMatchInlineSnapshot(`
    [
      "declined/authentication_failed",
      "declined/blocked_by_rule",
      "declined/card_declined",
      "declined/expired_card",
      "declined/incorrect_cvc",
      "declined/insufficient_funds",
      "declined/lost_card",
      "failed/authentication_expired",
      "failed/expired",
      "failed/processing_error/no_processor",
      "failed/processing_error/processing_error",
      "failed/voided",
      "partially_refunded",
      "pending/authorized",
      "pending/requires_action",
      "refunded",
      "succeeded/captured",
    ]
  `);
});

test('the payments cover ninety days, and none is of the future', async () => {
  const { rows } = await platform.env.pool.query<{ days: number; ahead: number }>(
    `SELECT count(DISTINCT "createdAt"::date)::int AS days, (count(*) FILTER (WHERE "createdAt" > now() OR "updatedAt" > now()))::int AS ahead FROM payments`,
  );
  expect(rows[0]?.days).toBeGreaterThan(80);
  expect(rows[0]?.ahead).toBe(0);
});

test("the books hold, and the test processor's agree with them", async () => {
  const { differences, charges, unsettled, postings } = await verifyBooks(platform.env);
  expect(differences).toEqual([]);
  expect(charges).toBeGreaterThan(300);
  expect(postings).toBeGreaterThan(2 * 250);
  expect(unsettled).toBe(0);
});

test('its subscriptions are in every state, and those that are old enough were renewed', async () => {
  const { rows } = await platform.env.pool.query<{ status: string; n: number }>(
    'SELECT status, count(*)::int AS n FROM subscriptions GROUP BY status ORDER BY status',
  );
  expect(rows.map(({ status }) => status)).toEqual([
    'active',
    'canceled',
    'incomplete',
    'past_due',
    'paused',
    'trialing',
  ]);
  expect(rows.reduce((sum, { n }) => sum + n, 0)).toBeGreaterThanOrEqual(24);
  const {
    rows: [charged],
  } = await platform.env.pool.query<{ renewals: number; waiting: number }>(
    `SELECT (SELECT count(*)::int FROM payments WHERE "subscriptionPeriod" > 1 AND status = 'succeeded') AS renewals, (SELECT count(*)::int FROM subscriptions WHERE "chargingSince" IS NOT NULL) AS waiting`,
  );
  // About twenty: how many months lie within the demo's ninety days depends on the day it is made.
  expect(charged?.renewals).toBeGreaterThanOrEqual(15);
  expect(charged?.waiting).toBe(0);
});

test('the audit log is whole', async () => {
  expect(await verifyAudit(platform.env.pool)).toMatchObject({ ok: true });
});

test('its orders are in every state that payments bring them to', async () => {
  const { rows } = await platform.env.pool.query<{ status: string }>(
    'SELECT DISTINCT status FROM orders ORDER BY status',
  );
  expect(rows.map(({ status }) => status)).toMatchInlineSnapshot(`
    [
      "failed",
      "paid",
      "partially_refunded",
      "pending",
      "refunded",
    ]
  `);
});

test('the test account has a test processor, and a stripe processor to connect', async () => {
  const api = clientOf(platform, demo.accounts.test.subKey);
  const { items } = await api.ok('/processors/list', {});
  expect(
    items.map(({ type, connected }: { type: string; connected: boolean }) => `${type} ${connected}`).sort(),
  ).toEqual(['stripe false', 'test true', 'test true']);
  const { id: processorId } = items.find(({ type }: { type: string }) => type === 'stripe');
  const { url } = await api.ok('/processors/cardprocessor-connect/initiate', {
    processorId,
    returnUrl: 'https://example.com/back',
  });
  expect(url).toContain('/test/connect/authorize?');
});

test('disputes are in it at every point', async () => {
  const { rows } = await platform.env.pool.query<{ status: string }>('SELECT status FROM disputes ORDER BY status');
  expect(rows.map(({ status }) => status)).toEqual(['lost', 'needs_response', 'under_review', 'won']);
});

test('a cascade is in it, with charges that the second processor took, declined and failed', async () => {
  const { rows } = await platform.env.pool.query<{ ways: string }>(
    `SELECT DISTINCT p.status || ': ' || string_agg(t.status, ', ' ORDER BY t."createdAt", t.id) AS ways FROM payments p JOIN transactions t ON t."paymentId" = p.id WHERE p."paymentFlowId" IS NOT NULL GROUP BY p.id ORDER BY ways`,
  );
  expect(rows.map(({ ways }) => ways)).toEqual([
    'declined: failed, declined',
    'failed: failed, failed',
    'succeeded: failed, succeeded',
  ]);
});

test('its accounts stand at every point of a KYB, those in review for hours', async () => {
  const { rows } = await platform.env.pool.query<{ state: string; n: number }>(
    `SELECT concat_ws('/', mode, "kybStatus", status) AS state, count(*)::int AS n FROM processing_accounts GROUP BY 1 ORDER BY 1`,
  );
  expect(Object.fromEntries(rows.map(({ state, n }) => [state, n]))).toEqual({
    'live/approved/active': 1,
    'live/in_progress/pending_operator_assignment': 1,
    'live/rejected/pending_operator_assignment': 1,
    'live/submitted/pending_operator_assignment': 2,
    'test/approved/active': 1,
    'test/not_started/active': 1,
    'test/rejected/active': 1,
  });
  const { rows: waiting } = await platform.env.pool.query(
    `SELECT 1 FROM processing_accounts WHERE "kybSubmittedAt" > now() - interval '6 hours'`,
  );
  expect(waiting).toEqual([]);
});

test('nothing of it waits for a sweep or leaves the machine', async () => {
  const { rows } = await platform.env.pool.query(
    `SELECT (SELECT count(*)::int FROM payments WHERE "subStatus" = 'processing' OR ("subStatus" = 'authorized' AND "authorizationExpiresAt" <= now())) AS late, (SELECT count(*)::int FROM webhook_deliveries) AS deliveries,
       (SELECT count(*)::int FROM webhook_endpoints) AS endpoints, (SELECT count(*)::int FROM webhook_endpoints WHERE enabled) AS enabled`,
  );
  expect(rows).toEqual([{ late: 0, deliveries: 0, endpoints: 2, enabled: 0 }]);
});

test('every payment has its events, numbered without gaps', async () => {
  const { rows } = await platform.env.pool.query(
    `SELECT p.id FROM payments p LEFT JOIN events e ON e."objectId" = p.id GROUP BY p.id HAVING count(e.id) <> p.sequence OR max(e.sequence) <> p.sequence OR min(e.sequence) <> 1`,
  );
  expect(rows).toEqual([]);
});

test('the totals of the lists are the number of rows', async () => {
  const { body } = await clientOf(platform, demo.partnerKeys.test).call('/payments', {});
  const { rows } = await platform.env.pool.query<{ n: number }>(
    `SELECT count(*) AS n FROM payments WHERE "partnerId" = $1 AND mode = 'test'`,
    [demo.partner.id],
  );
  expect(body.total).toBe(rows[0]?.n);
});

test('its checkout is live where it says, as its default preset has it', async () => {
  const { plugin, accounts } = demo;
  const page = await fetch(`${platform.url}${plugin?.path}`);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('"brand":"Corner Shop"')]);
  const instance = await clientOf(platform, accounts.test.subKey).ok(
    `/plugins/v2/instance/${plugin?.deploymentInstanceId}`,
  );
  expect(instance).toMatchObject({
    storeId: accounts.test.storeId,
    configIssues: [],
    mounts: [{ alias: plugin?.alias, basePath: '/' }],
  });
});

test('its funnel has been walked in every way, and its link leads whoever opens it to the first page', async () => {
  const api = clientOf(platform, demo.accounts.test.subKey);
  const { sessions, converted, revenue, steps } = await api.ok(`/funnels/${demo.funnel?.id}/figures`);
  expect({
    sessions,
    converted,
    revenue,
    steps: steps.map(({ stepId, views, conversions }: Record<string, unknown>) => [stepId, views, conversions]),
  }).toEqual({
    sessions: 16,
    converted: 6,
    revenue: [{ currency: 'USD', amount: 6 * 4900 + 4 * 1900, refunded: 0 }],
    steps: [
      ['landing', 16, 12],
      ['checkout', 12, 6],
      ['upsell', 6, 4],
      ['thanks', 6, 0],
    ],
  });
  const entered = await fetch(`${platform.url}${demo.funnel?.path}`, { redirect: 'follow' });
  expect([entered.status, new URL(entered.url).pathname]).toEqual([200, `${demo.plugin?.path}landing`]);
});

describe('demo.json', () => {
  test('200 with each of its keys, which reach what it says', async () => {
    const { partnerKeys, accounts, partner } = demo;
    const tested = await Promise.all(
      [partnerKeys.test, partnerKeys.live, accounts.test.subKey, accounts.live.subKey].map((key) =>
        clientOf(platform, key).ok('/auth/test'),
      ),
    );
    expect(tested).toMatchObject([
      { mode: 'test', keyKind: 'partner', partnerId: partner.id },
      { mode: 'live', keyKind: 'partner', partnerId: partner.id },
      { mode: 'test', keyKind: 'sub', platformAccountId: accounts.test.id, storeIds: [accounts.test.storeId] },
      { mode: 'live', keyKind: 'sub', platformAccountId: accounts.live.id, storeIds: [accounts.live.storeId] },
    ]);
  });

  test('200 and succeeded when its instrument is charged', async () => {
    const { subKey, storeId, paymentInstrumentId } = demo.accounts.test;
    const { payment } = await clientOf(platform, subKey).ok('/payments/process', {
      storeId,
      paymentInstrumentId,
      amount: 2500,
      currency: 'USD',
    });
    expect(payment.status).toBe('succeeded');
  });

  test('the demo accounts are active and premium', async () => {
    for (const mode of ['test', 'live'] as const) {
      expect(await clientOf(platform, demo.partnerKeys[mode]).ok(`/accounts/${demo.accounts[mode].id}`)).toMatchObject({
        status: 'active',
        plan: 'premium',
        livemode: mode === 'live',
      });
    }
  });

  test('it names both partners, and a free organization and one of each partner', () => {
    expect(demo.partners.map(({ slug }) => slug)).toEqual(['demo-partner', 'second-partner']);
    expect(demo.organizations.map(({ kind, partnerSlug }) => ({ kind, partnerSlug }))).toEqual([
      { kind: 'self_serve', partnerSlug: null },
      { kind: 'partner_managed', partnerSlug: 'demo-partner' },
      { kind: 'partner_managed', partnerSlug: 'second-partner' },
    ]);
  });
});

test('a first start that is killed while it seeds is made good by the next one, and the start after that keeps it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'platform-first-start-'));
  const port = await freePort();
  const start = () =>
    spawn(process.execPath, ['src/main.ts'], {
      cwd: join(import.meta.dirname, '..'),
      env: { PATH: process.env['PATH'], PLATFORM_DIR: dir, PORT: String(port), LOG_LEVEL: 'error' },
      stdio: 'ignore',
    });
  try {
    const killed = start();
    await until(async () => (await paymentsIn(dir, 'platform_draft')) >= 20);
    await end(killed, 'SIGKILL');

    const second = start();
    await until(() => isReady(port));
    const kept = readFileSync(join(dir, 'demo.json'), 'utf8');
    const expected =
      (
        await platform.env.pool.query<{ n: number }>('SELECT count(*) AS n FROM payments WHERE "createdAt" < $1', [
          new Date(Date.now() - 3_600_000),
        ])
      ).rows[0]?.n ?? 0;
    expect(await paymentsIn(dir, 'platform')).toBeGreaterThanOrEqual(expected);
    await end(second, 'SIGTERM');

    const third = start();
    await until(() => isReady(port));
    expect(readFileSync(join(dir, 'demo.json'), 'utf8')).toBe(kept);
    const { partnerKeys } = JSON.parse(kept) as Demo;
    expect((await clientOf({ url: `http://127.0.0.1:${port}` }, partnerKeys.test).call('/auth/test')).status).toBe(200);
    await end(third, 'SIGTERM');
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}, 120_000);

/** How many payments there are in a database of the platform's own server; 0 while there is no such database or server. */
async function paymentsIn(dir: string, database: string): Promise<number> {
  try {
    const port = readFileSync(join(dir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[3];
    const { databasePassword } = JSON.parse(readFileSync(join(dir, 'secrets.json'), 'utf8')) as {
      databasePassword: string;
    };
    const client = new pg.Client({
      connectionString: `postgresql://platform:${databasePassword}@127.0.0.1:${port}/${database}`,
    });
    client.on('error', () => {});
    await client.connect();
    try {
      return Number((await client.query<{ n: string }>('SELECT count(*) AS n FROM payments')).rows[0]?.n);
    } finally {
      await client.end();
    }
  } catch {
    return 0;
  }
}

async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const giveUp = performance.now() + 50_000;
  while (!(await holds())) {
    if (performance.now() > giveUp) throw new Error('It did not come about within 50 s.');
    await pause(25);
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await gone;
}
