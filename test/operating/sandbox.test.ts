import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { environmentOf } from '../../src/auth/modes.ts';
import { takesKeys } from '../../src/auth/scopes.ts';
import { printPartnerKey } from '../../src/cli/commands/partner-key.ts';
import { openVisit } from '../../src/domains/funnels/checkout/visit.ts';
import { checkoutToken } from '../../src/domains/funnels/sessions/rows.ts';
import { receiveProcessorEvent, retryWaitingEvents } from '../../src/domains/processor-events/receive-event.ts';
import { connectServerOf } from '../../src/domains/processors/connect/attempt.ts';
import { runDueSubscriptions } from '../../src/domains/subscriptions/periods/run-subscription.ts';
import { welcomeMessage } from '../../src/local/banner.ts';
import { addFunnel } from '../domains/funnels/example-funnel.ts';
import { signedIn } from '../iam/people.ts';
import { clientOf } from '../support/client.ts';
import { documentOf, endpoints, rootFields, slotsOf, smallestValue } from '../support/operations.ts';
import { startTestPlatform, type TestPlatform, testConfig } from '../support/platform.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../support/seed.ts';
import { priceOf } from '../support/subscriptions.ts';
import { liveRows } from './live-rows.ts';

const reason = 'sandbox_has_no_live_mode';
const sandboxEnv = { SANDBOX: 'true' };
/** A deployment that has live rows, and the sandbox on the same database: the worst that can be mistaken. */
let production: TestPlatform;
let sandbox: TestPlatform;
let partner: SeededPartner;
let live: SeededPartner;
let account: SeededAccount;
beforeAll(async () => {
  production = await startTestPlatform();
  partner = await seedPartner(production);
  live = await seedPartner(production, 'live', partner.id);
  account = await live.account();
  sandbox = await startTestPlatform({ databaseUrl: production.databaseUrl, env: sandboxEnv });
});
afterAll(async () => {
  await sandbox?.close();
  await production?.close();
});

describe('live keys are 401', () => {
  test('by every endpoint, and nothing live is made', async () => {
    const before = await liveRows(sandbox);
    expect(before).not.toEqual({});
    for (const { name, path, method } of endpoints)
      for (const key of [live.partnerKey, account.subKey]) {
        const body = method === 'GET' ? undefined : {};
        const answer = await clientOf(sandbox, key).call(path.replaceAll(/:\w+/g, 'x'), body, { method });
        expect([name, answer.status, answer.body.message]).toEqual([name, 401, expect.stringContaining('sandbox')]);
      }
    expect(await liveRows(sandbox)).toEqual(before);
  });

  test('over GraphQL, too; test keys are served', async () => {
    for (const key of [live.partnerKey, account.subKey]) {
      const response = await fetch(`${sandbox.url}/graphql`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ query: '{ authTest { mode } }' }),
      });
      expect(response.status).toBe(401);
    }
    const lastUsed = await sandbox.services.pool.query('SELECT count(*)::int AS n FROM limits.key_uses');
    expect(await clientOf(sandbox, partner.partnerKey).ok('/auth/test')).toMatchObject({ mode: 'test' });
    expect(lastUsed.rows[0].n).toBeGreaterThan(0);
    expect((await clientOf(sandbox, partner.partnerKey).call('/accounts', { legalName: 'Test' })).status).toBe(200);
  });
});

describe('nothing live is made by people, commands, pages or jobs', () => {
  /** Every mutation of people in which a mode can be named. An export reads, as lists do. */
  const withMode = rootFields.filter(
    ({ kind, field, scopes }) =>
      kind === 'mutation' &&
      !takesKeys(scopes) &&
      field.name !== 'createExport' &&
      slotsOf(field.args).some(({ path }) => path.at(-1) === 'mode'),
  );

  test('403 for every mutation of people that names live mode, and 200 for the same in test mode', async () => {
    expect(withMode.map(({ field }) => field.name)).toEqual(['createPartnerKey', 'setRefundLimit']);
    const { graphql } = await signedIn(sandbox, { platformRoles: ['superadmin'] });
    const before = await liveRows(sandbox);
    for (const root of withMode) {
      const known = { partnerSlug: partner.slug, label: 'Sandbox' };
      const variables = (mode: string) =>
        Object.fromEntries(
          root.field.args.map((arg) => [arg.name, smallestValue(arg.type, arg.name, { ...known, mode })]),
        );
      const { errors } = await graphql(documentOf(root), variables('live'));
      expect(errors[0].extensions).toMatchObject({ code: 'FORBIDDEN', data: { reason } });
      expect((await graphql(documentOf(root), variables('test'))).errors).toBe(undefined);
    }
    expect(await liveRows(sandbox)).toEqual(before);
  });

  test('the command for partner keys says why, and creates neither the key nor the partner', async () => {
    const config = testConfig(sandbox.databaseUrl, sandboxEnv);
    const requested = { mode: 'live', label: 'CI', create: 'Brand New' } as const;
    await expect(printPartnerKey(config, 'brand-new', requested)).rejects.toThrow(reason);
    expect(await sandbox.services.prisma.partner.findUnique({ where: { slug: 'brand-new' } })).toBe(null);
  });

  test('403 for a checkout page of a live session, and for connecting a live processor', async () => {
    const { id } = await account.api.ok('/funnel-sessions', { funnelId: (await addFunnel(account)).id });
    const from = { token: checkoutToken(production.services.config, id), requestId: 'req_1', ip: '127.0.0.1' };
    await openVisit(production.services, from);
    await expect(openVisit(sandbox.services, from)).rejects.toMatchObject({ status: 403, data: { reason } });
    expect(() => connectServerOf(sandbox.services.config, 'live')).toThrow(reason);
  });

  test('403 for an event of a live processor, and none that waits is applied by the job', async () => {
    const options = { secretKey: 'sk_live_1234567890', webhookSecret: 'whsec_1234567890' };
    const { id } = await account.api.ok('/processors/create', { name: 'Stripe', type: 'stripe', options });
    const body = { body: '{}', headers: {}, requestId: 'req_1', ip: null };
    await expect(receiveProcessorEvent(sandbox.services, 'stripe', id, body)).rejects.toMatchObject({
      status: 403,
      data: { reason },
    });
    await sandbox.services.pool.query(
      `INSERT INTO unapplied_events (
         id, "processorId", "eventId", "partnerId", "platformAccountId", mode, type, status, reason, notices, "retryAt",
         "receivedAt", "updatedAt"
       )
       SELECT 'uev_1', id, 'evt_1', "partnerId", "platformAccountId", mode, 'charge.refunded', 'waiting', 'early', '[]', now(),
         now(), now()
       FROM processors WHERE id = $1`,
      [id],
    );
    expect(await retryWaitingEvents(sandbox.services)).toBe(0);
    expect(await retryWaitingEvents(production.services)).toBe(1);
  });

  test('a live subscription that is due is not renewed', async () => {
    const { customerId } = await account.instrument('4111111111111111');
    const { id } = await account.api.ok('/subscriptions/create', {
      customerId,
      priceId: await priceOf(account),
      initiatePayment: false,
    });
    await sandbox.services.pool.query(
      `UPDATE subscriptions SET "dueAt" = now(), "currentPeriodStart" = now() - interval '2 days', ` +
        `"currentPeriodEnd" = now() - interval '1 day' WHERE id = $1`,
      [id],
    );
    const read = () => sandbox.services.prisma.subscription.findUniqueOrThrow({ where: { id } });
    const before = await read();
    await runDueSubscriptions(sandbox.services);
    expect(await read()).toEqual(before);
    await runDueSubscriptions(production.services);
    expect(await read()).not.toEqual(before);
  });
});

test('auth/test, the reference and the banner say which deployment answers, at the same paths', async () => {
  const said = async (platform: TestPlatform) => {
    const { environment } = await clientOf(platform, partner.partnerKey).ok('/auth/test');
    const { info, paths } = await clientOf(platform).ok('/openapi.json');
    return { environment, info, paths, banner: welcomeMessage(platform.services.config) };
  };
  const [here, there] = [await said(sandbox), await said(production)];
  expect([here.environment, there.environment]).toEqual(['sandbox', 'development']);
  const ofServer = { sandbox: false, isProduction: true };
  expect([environmentOf(ofServer), environmentOf({ ...ofServer, sandbox: true })]).toEqual(['production', 'sandbox']);
  expect(here.paths).toEqual(there.paths);
  for (const text of [here.info.description, here.banner]) expect(text).toContain('This is the sandbox');
  for (const text of [there.info.description, there.banner]) expect(text).not.toContain('This is the sandbox');
});

test('SANDBOX_URL is named in the reference, on the start page and in llms.txt; without it none is named', async () => {
  const SANDBOX_URL = 'https://sandbox.example.com/pay/';
  const named = await startTestPlatform({ env: { SANDBOX_URL } });
  const said = async ({ url }: TestPlatform) => {
    const read = async (path: string) => (await fetch(url + path, { headers: { Accept: 'text/html' } })).text();
    const { info, servers } = JSON.parse(await read('/api/public/v1/openapi.json'));
    return { servers: servers.slice(1), texts: [info.description, await read('/'), await read('/llms.txt')] };
  };
  try {
    const { servers, texts } = await said(named);
    expect(servers).toEqual([{ url: 'https://sandbox.example.com/pay/api/public/v1', description: 'The sandbox' }]);
    for (const text of texts) expect(text).toContain('https://sandbox.example.com/pay');
  } finally {
    await named.close();
  }
  const { servers, texts } = await said(production);
  expect(servers).toEqual([]);
  for (const text of texts) expect(text).not.toContain('sandbox.example.com');
});
