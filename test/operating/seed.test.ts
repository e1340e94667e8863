import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { verifyAudit } from '../../src/iam/audit/verify-audit.ts';
import { fillDatabase } from '../../src/local/demo.ts';
import { createLog } from '../../src/observability/log.ts';
import { type Demo, demoNames } from '../../src/settings/demo-credentials.ts';
import { peopleOf } from '../iam/identity/people.ts';
import { signIn } from '../iam/people.ts';
import { clientOf } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import { startTestPlatform, type TestPlatform, testConfig } from '../support/platform.ts';

let platform: TestPlatform;
let directory: string;
let demo: Demo;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'platform-seed-'));
  const databaseUrl = await freshDatabase();
  await fillDatabase(testConfig(databaseUrl, { PLATFORM_DIR: directory }), databaseUrl, createLog({ level: 'silent' }));
  demo = JSON.parse(readFileSync(join(directory, 'demo.json'), 'utf8')) as Demo;
  platform = await startTestPlatform({ databaseUrl, env: { PLATFORM_DIR: directory } });
});

afterAll(async () => {
  await platform.close();
  rmSync(directory, { recursive: true, force: true });
});

test('every state a payment can reach is in the demo', async () => {
  const { rows } = await platform.services.pool.query<{ state: string }>(
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

test('200 for the reads of the API reference as its examples stand, but for what the demo has none of', async () => {
  interface Operation {
    parameters?: { in: string; name: string; example?: string }[];
  }
  const described = await fetch(`${platform.url}/api/public/v1/openapi.json`);
  const { paths } = (await described.json()) as { paths: Record<string, Record<string, Operation>> };
  const headers = { Authorization: `Bearer ${demo.partnerKeys.test}` };
  const missing: string[] = [];
  for (const [path, { get }] of Object.entries(paths)) {
    if (!get || path.endsWith('/callback')) continue;
    const params = get.parameters?.filter((parameter) => parameter.in === 'path') ?? [];
    const to = params.reduce((url, { name, example }) => url.replace(`{${name}}`, String(example)), path);
    if ((await fetch(`${platform.url}/api/public/v1${to}`, { headers })).status !== 200) missing.push(path);
  }
  expect(missing).toEqual(['/payment-instruments/client-sessions/{clientSessionId}', '/test-clocks/{testClockId}']);
});

test('the identifiers of the API reference are those of the objects of the demo that its examples name', async () => {
  const { prisma } = platform.services;
  const described = await (await fetch(`${platform.url}/api/public/v1/openapi.json`)).text();
  const firstId = (prefix: string) => described.match(new RegExp(`\\b${prefix}[0-9A-Za-z]{22}\\b`))?.[0] ?? '';
  expect(firstId('par_')).toBe(demo.partner.id);
  const [customer, product, price, store] = await Promise.all([
    prisma.customer.findUniqueOrThrow({ where: { id: firstId('cus_') } }),
    prisma.product.findUniqueOrThrow({ where: { id: firstId('prod_') } }),
    prisma.price.findUniqueOrThrow({ where: { id: firstId('price_') } }),
    prisma.store.findUniqueOrThrow({ where: { id: firstId('store_') } }),
  ]);
  const { customer: ada, club, store: storeName } = demoNames;
  expect([customer.email, product.name, product.description, Number(price.amount), store.name]).toEqual([
    ada.email,
    club.name,
    club.description,
    club.monthlyAmount,
    storeName,
  ]);
});

test('its first partner has a color and a logo, which is served, and its second partner has none', async () => {
  const branded = await platform.services.prisma.partner.findMany({ orderBy: { slug: 'asc' } });
  expect(branded.map(({ slug, branding }) => [slug, branding])).toEqual([
    [
      'demo-partner',
      { primaryColor: '#0f766e', logoImage: expect.stringMatching(/^\/brand\/[0-9a-f]{64}-96x96\.png$/) },
    ],
    ['north', {}],
  ]);
  const { logoImage } = branded[0]?.branding as { logoImage: string }; // matched above
  expect((await fetch(platform.url + logoImage)).headers.get('Content-Type')).toBe('image/png');
});

test('its customers have names, except the visitors of its funnel, whom the page asks for an email address only', async () => {
  const { rows } = await platform.services.pool.query<{ nameless: string[]; names: number }>(
    `SELECT
        array_agg(email) FILTER (WHERE "firstName" IS NULL OR "lastName" IS NULL) AS nameless,
        count(DISTINCT ("firstName", "lastName"))::int AS names
      FROM customers
      WHERE email NOT LIKE 'visitor%'`,
  );
  expect(rows[0]?.nameless).toBe(null);
  expect(rows[0]?.names).toBeGreaterThan(100);
});

test('the payments cover ninety days, and none is in the future', async () => {
  const { rows } = await platform.services.pool.query<{ days: number; ahead: number }>(
    `SELECT
        count(DISTINCT "createdAt"::date)::int AS days,
        (count(*) FILTER (WHERE "createdAt" > now() OR "updatedAt" > now()))::int AS ahead
      FROM payments`,
  );
  expect(rows[0]?.days).toBeGreaterThan(80);
  expect(rows[0]?.ahead).toBe(0);
});

test("the ledger is balanced, and the test processor's records agree with it", async () => {
  const { differences, charges, unresolved, postings } = await verifyLedger(platform.services);
  expect(differences).toEqual([]);
  expect(charges).toBeGreaterThan(300);
  expect(postings).toBeGreaterThan(2 * 250);
  expect(unresolved).toBe(0);
});

test('its subscriptions are in every state, and the older ones were renewed', async () => {
  const { rows } = await platform.services.pool.query<{ status: string; n: number }>(
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
  } = await platform.services.pool.query<{ renewals: number; waiting: number }>(
    `SELECT
        (SELECT count(*)::int FROM payments WHERE "subscriptionPeriod" > 1 AND status = 'succeeded') AS renewals,
        (SELECT count(*)::int FROM subscriptions WHERE "chargingSince" IS NOT NULL) AS waiting`,
  );
  // About twenty: the number of months within the demo's ninety days depends on the current date.
  expect(charged?.renewals).toBeGreaterThanOrEqual(15);
  expect(charged?.waiting).toBe(0);
});

test('the audit log is valid', async () => {
  expect(await verifyAudit(platform.services.pool, platform.services.auditKeys)).toMatchObject({ ok: true });
});

test('its orders are in every state that payments result in', async () => {
  const { rows } = await platform.services.pool.query<{ status: string }>(
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

test('the test account has a test processor, and a Stripe processor to connect', async () => {
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
  expect(url).toContain('/test/connect/authorize?response_type=code');
});

test('it has disputes in every state', async () => {
  const { rows } = await platform.services.pool.query<{ status: string }>(
    'SELECT status FROM disputes ORDER BY status',
  );
  expect(rows.map(({ status }) => status)).toEqual(['lost', 'needs_response', 'under_review', 'won']);
});

test('it has cascades that the second processor approved, declined and failed', async () => {
  const { rows } = await platform.services.pool.query<{ ways: string }>(
    `SELECT DISTINCT p.status || ': ' || string_agg(t.status, ', ' ORDER BY t."createdAt", t.id) AS ways
      FROM payments p
      JOIN transactions t ON t."paymentId" = p.id
      WHERE p."paymentFlowId" IS NOT NULL
      GROUP BY p.id
      ORDER BY ways`,
  );
  expect(rows.map(({ ways }) => ways)).toEqual([
    'declined: failed, declined',
    'failed: failed, failed',
    'succeeded: failed, succeeded',
  ]);
});

test('its accounts are in every state of a KYB, those in review for hours', async () => {
  const { rows } = await platform.services.pool.query<{ state: string; n: number }>(
    `SELECT concat_ws('/', mode, "kybStatus", status) AS state, count(*)::int AS n
      FROM processing_accounts
      GROUP BY 1
      ORDER BY 1`,
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
  const { rows: waiting } = await platform.services.pool.query(
    `SELECT 1 FROM processing_accounts WHERE "kybSubmittedAt" > now() - interval '6 hours'`,
  );
  expect(waiting).toEqual([]);
});

test('no payment waits for a job, and webhooks go to the receivers of this server only', async () => {
  const { rows } = await platform.services.pool.query(
    `SELECT
        (
          SELECT count(*)::int
          FROM payments
          WHERE "subStatus" = 'processing' OR ("subStatus" = 'authorized' AND "authorizationExpiresAt" <= now())
        ) AS late,
        (SELECT count(*)::int FROM webhook_deliveries WHERE status = 'pending') AS deliveries,
        (SELECT count(*)::int FROM webhook_endpoints WHERE enabled) AS endpoints,
        (SELECT count(*)::int FROM webhook_endpoints WHERE url !~ '^http://localhost:[0-9]+/test/receivers/') AS elsewhere`,
  );
  expect(rows).toEqual([{ late: 0, deliveries: 48, endpoints: 5, elsewhere: 0 }]);
});

test('200, 500 and 410 of the receivers of its webhooks; 404 of no other', async () => {
  const kinds = ['accepts', 'fails', 'gone', 'other'];
  const asked = kinds.map((kind) => fetch(`${platform.url}/test/receivers/${kind}`, { method: 'POST' }));
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 500, 410, 404]);
});

test('every payment has its events, numbered without gaps', async () => {
  const { rows } = await platform.services.pool.query(
    `SELECT p.id
      FROM payments p
      LEFT JOIN events e ON e."objectId" = p.id
      GROUP BY p.id
      HAVING count(e.id) <> p.sequence OR max(e.sequence) <> p.sequence OR min(e.sequence) <> 1`,
  );
  expect(rows).toEqual([]);
});

test('the totals of the lists are the number of rows', async () => {
  const { body } = await clientOf(platform, demo.partnerKeys.test).call('/payments', {});
  const { rows } = await platform.services.pool.query<{ n: number }>(
    `SELECT count(*) AS n FROM payments WHERE "partnerId" = $1 AND mode = 'test'`,
    [demo.partner.id],
  );
  expect(body.total).toBe(rows[0]?.n);
});

test('its checkout is live at its address, with its default preset', async () => {
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

test('its funnel has sessions of every path, and its link opens the first page', async () => {
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
  test('200 with each of its keys, with the documented visibility', async () => {
    const { partnerKeys, accounts, partner } = demo;
    const { live } = accounts;
    const tested = await Promise.all(
      [partnerKeys.test, partnerKeys.live, accounts.test.subKey, live?.subKey].map((key) =>
        clientOf(platform, key ?? '').ok('/auth/test'),
      ),
    );
    expect(tested).toMatchObject([
      { mode: 'test', keyKind: 'partner', partnerId: partner.id },
      { mode: 'live', keyKind: 'partner', partnerId: partner.id },
      { mode: 'test', keyKind: 'sub', platformAccountId: accounts.test.id, storeIds: [accounts.test.storeId] },
      { mode: 'live', keyKind: 'sub', platformAccountId: live?.id, storeIds: [live?.storeId] },
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
      const key = demo.partnerKeys[mode] ?? '';
      expect(await clientOf(platform, key).ok(`/accounts/${demo.accounts[mode]?.id}`)).toMatchObject({
        status: 'active',
        plan: 'premium',
        livemode: mode === 'live',
      });
    }
  });

  test('the demo has a user of every kind of caller, in the order of contract 22, who can sign in', async () => {
    expect(demo.users.map((user) => [user.platformRoles.join(), user.whitelabelOwnership])).toEqual([
      ['superadmin', null],
      ['hubadmin', null],
      ['platformpaymentAdmin', null],
      ['accountmanager', null],
      ['accountmanager', 'demo-partner'],
      ['partneradmin', 'demo-partner'],
      ['partnerstaff', 'demo-partner'],
      ['', null],
      ['partneradmin', 'north'],
      ['', null],
    ]);
    for (const { email, password, idpUserId, whitelabelOwnership } of demo.users) {
      await peopleOf(platform).signIn({ email, password });
      const user = await platform.services.prisma.iamUser.findUnique({ where: { idpUserId } });
      expect(user?.whitelabelOwnership).toBe(whitelabelOwnership);
    }
    const [superadmin] = demo.users;
    const { iam } = await signIn(platform, { id: superadmin?.idpUserId ?? '', email: superadmin?.email ?? '' });
    const ofMerchant = { userId: demo.users.at(-1)?.idpUserId, roles: ['hubadmin'] };
    expect((await iam('/internal-users/set-roles', ofMerchant)).body.message).toContain('target_is_org_owner');
  });

  test('it names both partners, a free organization and one of each partner', () => {
    expect(demo.partners.map(({ slug }) => slug)).toEqual(['demo-partner', 'north']);
    expect(demo.organizations.map(({ kind, partnerSlug }) => ({ kind, partnerSlug }))).toEqual([
      { kind: 'self_serve', partnerSlug: null },
      { kind: 'partner_managed', partnerSlug: 'demo-partner' },
      { kind: 'partner_managed', partnerSlug: 'north' },
    ]);
  });
});
