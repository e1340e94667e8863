import { OAuth2Server } from 'oauth2-mock-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectionTo } from '../../../../src/domains/processors/connection.ts';
import { purgeOldRows } from '../../../../src/jobs/retention.ts';
import { manualClock } from '../../../../src/lib/clock.ts';
import { keeps } from '../../../../src/registry.ts';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../../../support/seed.ts';
import { come, finish, initiatePath, newVisitor, redirectFrom, stripeProcessor } from './walk.ts';

const oauth = new OAuth2Server();
const clock = manualClock(new Date());
const clientSecret = 'connect-secret-of-the-platform';
let platform: TestPlatform;
let partner: SeededPartner;
let account: SeededAccount;
let processorId: string;
/** The requests the token endpoint received. */
const requested: Record<string, unknown>[] = [];
/** Fields it adds to its next answer. */
let more: Record<string, unknown> = {};

beforeAll(async () => {
  await oauth.issuer.keys.generate('RS256');
  await oauth.start(0, '127.0.0.1');
  oauth.service.on('beforeResponse', (response: { body: unknown }, request: { body: Record<string, unknown> }) => {
    requested.push(request.body);
    // It adds an ID token that was not requested; a card processor's server has none.
    response.body = { ...(response.body as object), id_token: undefined, livemode: false, ...more };
  });
  const at = `http://127.0.0.1:${oauth.address().port}`;
  platform = await startTestPlatform({
    clock,
    env: {
      STRIPE_CONNECT_CLIENT_ID: 'ca_platform',
      STRIPE_CONNECT_CLIENT_SECRET: clientSecret,
      STRIPE_CONNECT_AUTHORIZATION_URL: `${at}/authorize`,
      STRIPE_CONNECT_TOKEN_URL: `${at}/token`,
    },
  });
  partner = await seedPartner(platform);
  account = await partner.account();
  processorId = await stripeProcessor(account.api);
});
afterAll(async () => {
  await platform?.close();
  await oauth.stop();
});

const shop = 'https://shop.example.com/back?order=7';
const begin = async (body: object = {}): Promise<string> =>
  (await account.api.ok(initiatePath, { processorId, returnUrl: shop, ...body })).url;
/** The authorization server's page, which approves at once, and its redirect. */
const approve = async (url: string): Promise<string> => (await redirectFrom(url)).location ?? '';

describe('connecting at an authorization server', () => {
  test('200 with the address of its page: code flow, PKCE, our callback; then the processor is connected', async () => {
    more = { stripe_user_id: 'acct_1Connected', livemode: false, refresh_token: 'rt_secret_of_the_merchant' };
    const url = new URL(await begin());
    const { code_challenge: challenge, state, ...parameters } = Object.fromEntries(url.searchParams);
    expect(parameters).toEqual({
      response_type: 'code',
      client_id: 'ca_platform',
      scope: 'read_write',
      redirect_uri: `${platform.url}/api/public/v1/processors/cardprocessor-connect/callback`,
      code_challenge_method: 'S256',
    });
    expect(challenge).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(state).toMatch(/^[0-9A-Za-z]{32}\.[A-Za-z0-9_-]{43}$/);

    expect(await come(await approve(url.href))).toEqual({ order: '7', status: 'success', processorId });
    expect(requested.at(-1)).toMatchObject({
      grant_type: 'authorization_code',
      client_id: 'ca_platform',
      client_secret: clientSecret,
      code_verifier: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    });

    const { items } = await account.api.ok('/processors/list', { filters: { type: ['stripe'] } });
    expect(items).toMatchObject([
      {
        id: processorId,
        connected: true,
        options: { accountId: 'acct_1Connected' },
        secretOptions: ['accessToken', 'refreshToken'],
      },
    ]);
    const { secrets } = await connectionTo(platform.services, processorId);
    expect(secrets['refreshToken']).toBe('rt_secret_of_the_merchant');
    const { rows } = await platform.services.pool.query(
      `SELECT
            (SELECT secrets::text FROM processors WHERE id = $1) AS secrets,
            (SELECT string_agg(t::text, ' ') FROM connect_attempts t) AS attempts,
            (SELECT string_agg(t::text, ' ') FROM audit_rows t) AS audit,
            (SELECT string_agg(t::text, ' ') FROM idempotency_records t) AS kept`,
      [processorId],
    );
    const everywhere = JSON.stringify([rows, platform.logged]);
    for (const secret of [
      secrets['accessToken'],
      'rt_secret_of_the_merchant',
      state,
      requested.at(-1)?.['code_verifier'],
      requested.at(-1)?.['code'],
      clientSecret,
    ])
      expect(everywhere).not.toContain(secret);
    expect(rows[0].audit.replaceAll('""', '"')).toContain('"secretsSet": ["accessToken", "refreshToken"]');
    more = {};
  });

  test('status=error with state_used for all but one of three confirmations at once, in two browsers: the code is exchanged once', async () => {
    const callback = await approve(await begin());
    const [visitor, other] = [newVisitor(), newVisitor()];
    const [page, otherPage] = [await visitor.open(callback), await other.open(callback)];
    requested.length = 0;
    const ends = await Promise.all([visitor.decide(page), visitor.decide(page), other.decide(otherPage)]);
    const reasons = ends.map(({ location }) => new URL(location ?? '').searchParams.get('reason') ?? 'none');
    expect(reasons.sort()).toEqual(['none', 'state_used', 'state_used']);
    expect(requested).toHaveLength(1);
    expect(await come(callback)).toMatchObject({ status: 'error', reason: 'state_used' });
  });

  test('status=error with access_denied when the merchant denies on our page: the code is not exchanged', async () => {
    const callback = await approve(await begin());
    requested.length = 0;
    expect(await come(callback, 'deny')).toEqual({
      order: '7',
      status: 'error',
      processorId,
      reason: 'access_denied',
    });
    expect(await come(callback)).toMatchObject({ status: 'error', reason: 'state_used' });
    expect(requested).toEqual([]);
  });

  test('status=error with state_expired from ten minutes on; the row, with its verifier, is purged after two days', async () => {
    const inTime = await approve(await begin());
    clock.advance(599_999);
    expect(await come(inTime)).toMatchObject({ status: 'success' });
    const late = await approve(await begin());
    const visitor = newVisitor();
    const page = await visitor.open(late);
    clock.advance(600_000);
    expect((await visitor.decide(page)).location).toContain('reason=state_expired');
    expect(await come(late)).toMatchObject({ status: 'error', reason: 'state_expired' });
    clock.advance(48 * 3_600_000);
    await purgeOldRows(platform.services, keeps);
    expect(await platform.services.prisma.connectAttempt.count()).toBe(0);
    expect((await redirectFrom(late)).status).toBe(400);
  });

  test('400 and no redirect for a state that is missing, forged, altered, repeated or of a changed row', async () => {
    const callback = new URL(await approve(await begin()));
    const state = callback.searchParams.get('state') ?? '';
    const [id = '', signature = ''] = state.split('.');
    const forged = [
      '',
      'x',
      `${id}.`,
      `${id}.${'A'.repeat(43)}`,
      `${'0'.repeat(32)}.${signature}`,
      `${state}x`,
      'é'.repeat(100),
      'x'.repeat(10_000),
    ].map((value) => `state=${encodeURIComponent(value)}&code=x`);
    for (const query of [...forged, 'code=x', `state=${state}&state=${state}&code=x`]) {
      const { status, location, text } = await redirectFrom(`${callback.origin}${callback.pathname}?${query}`);
      expect([status, location], query.slice(0, 80)).toEqual([400, null]);
      expect(text).not.toContain(state);
    }
    const other = await stripeProcessor(account.api);
    await platform.services.pool.query('UPDATE connect_attempts SET "processorId" = $2 WHERE id = $1', [id, other]);
    expect((await redirectFrom(callback.href)).status).toBe(400);
    await platform.services.pool.query('UPDATE connect_attempts SET "processorId" = $2 WHERE id = $1', [
      id,
      processorId,
    ]);
    expect(await come(callback.href)).toMatchObject({ status: 'success' });
  });

  test.each([
    [
      'the merchant denies',
      (url: URL) => {
        url.searchParams.delete('code');
        url.searchParams.set('error', 'access_denied');
      },
      'access_denied',
    ],
    [
      'the page fails in another way',
      (url: URL) => {
        url.searchParams.delete('code');
        url.searchParams.set('error', 'server_error');
      },
      'authorization_failed',
    ],
    ['there is no code', (url: URL) => url.searchParams.delete('code'), 'token_answer_invalid'],
    [
      'the code is of another attempt, whose verifier is another',
      (url: URL, code: string) => url.searchParams.set('code', code),
      'code_refused',
    ],
    [
      'the answer is of another issuer',
      (url: URL) => url.searchParams.set('iss', 'https://evil.example'),
      'token_answer_invalid',
    ],
  ])('status=error when %s', async (_name, alter, reason) => {
    const others = new URL(await approve(await begin())).searchParams.get('code') ?? '';
    const callback = new URL(await approve(await begin()));
    alter(callback, others);
    expect(await come(callback.href)).toEqual({ order: '7', status: 'error', processorId, reason });
  });

  test.each([
    ['moves real money', { livemode: true }, 'mode_mismatch'],
    ['does not name its mode', { livemode: undefined }, 'mode_mismatch'],
    ['names its mode as text', { livemode: 'false' }, 'mode_mismatch'],
    ['names no account of a known look', { stripe_user_id: 'acct_<script>' }, 'token_answer_invalid'],
    ['has a token of 4097 characters', { refresh_token: 'x'.repeat(4_097) }, 'token_answer_invalid'],
  ])('status=error when the answer %s, and nothing of it is stored', async (_name, extra, reason) => {
    const id = await stripeProcessor(account.api);
    more = extra;
    expect(await come(await approve(await begin({ processorId: id })))).toMatchObject({ status: 'error', reason });
    more = {};
    expect(await platform.services.prisma.processor.findUnique({ where: { id } })).toMatchObject({
      connected: false,
      secrets: {},
    });
  });

  test('redirectUrl precedes returnUrl; without an address the browser ends on a page of the platform', async () => {
    const { location } = await finish(
      await approve(
        await begin({ redirectUrl: 'https://app.example.com/done?status=old&reason=old', isFromOnboarding: true }),
      ),
    );
    expect(location).toBe(
      `https://app.example.com/done?status=success&processorId=${processorId}&isFromOnboarding=true`,
    );
    const callback = await approve((await account.api.ok(initiatePath, { processorId })).url);
    expect(await finish(callback)).toMatchObject({
      status: 200,
      location: null,
      text: expect.stringContaining('Connected'),
    });
    expect(await finish(callback)).toMatchObject({
      status: 200,
      location: null,
      text: expect.stringContaining('state_used'),
    });
  });

  test('200 with the same Idempotency-Key returns the same address, which works once', async () => {
    const headers = { 'Idempotency-Key': 'connect-1' };
    const first = await account.api.call(initiatePath, { processorId, returnUrl: shop }, { headers });
    const again = await account.api.call(initiatePath, { processorId, returnUrl: shop }, { headers });
    expect([again.headers.get('idempotent-replayed'), again.body]).toEqual(['true', first.body]);
    expect(await come(await approve(again.body.url))).toMatchObject({ status: 'success' });
  });
});

test('the callback is in the OpenAPI description, without a credential', async () => {
  const text = await (await fetch(`${platform.url}/api/public/v1/openapi.json`)).text();
  const { paths } = JSON.parse(text) as { paths: Record<string, { get?: { security: unknown } }> };
  expect(paths['/processors/cardprocessor-connect/callback']?.get?.security).toEqual([]);
});

describe('access and refusals', () => {
  test('404 for a processor of another tenant or mode, 400 for one without OAuth', async () => {
    const stranger = await (await seedPartner(platform)).account();
    const live = await (await seedPartner(platform, 'live', partner.id)).account();
    for (const [api, id] of [
      [stranger.api, processorId],
      [live.api, processorId],
      [account.api, 'proc_none'],
    ] as const)
      expect((await api.call(initiatePath, { processorId: id })).body.code).toBe('NOT_FOUND');
    const { items } = await account.api.ok('/processors/list', { filters: { type: ['test'] } });
    expect((await account.api.call(initiatePath, { processorId: items[0].id })).body).toMatchObject({
      code: 'INPUT_PARSE_ERROR',
      data: { issues: [{ path: 'processorId' }] },
    });
    expect((await partner.api.ok(initiatePath, { processorId })).url).toContain('state=');
  });

  test.each([
    'javascript:alert(1)',
    '//evil.example',
    '/relative',
    'https://user:pass@shop.example.com',
    'https://shop.example.com:25',
    'ftp://shop.example.com',
    5,
  ])('400 for the address %s', async (address) => {
    for (const path of ['returnUrl', 'redirectUrl'])
      expect((await account.api.call(initiatePath, { processorId, [path]: address })).body.data.issues).toMatchObject([
        { path },
      ]);
  });

  test('400 in live mode for an address that is not https; in test mode it is accepted', async () => {
    const live = await (await seedPartner(platform, 'live')).account();
    const id = await stripeProcessor(live.api);
    const { body } = await live.api.call(initiatePath, {
      processorId: id,
      returnUrl: 'http://shop.example.com',
      redirectUrl: 'http://shop.example.com',
    });
    expect(body.data.issues.map(({ path }: { path: string }) => path)).toEqual(['redirectUrl', 'returnUrl']);
    expect((await account.api.call(initiatePath, { processorId, returnUrl: 'http://shop.example.com' })).status).toBe(
      200,
    );
  });

  test('200 with a page of consent that says that real money will move, in live mode', async () => {
    const live = await (await seedPartner(platform, 'live')).account();
    const id = await stripeProcessor(live.api);
    const callback = await approve((await live.api.ok(initiatePath, { processorId: id, returnUrl: shop })).url);
    expect((await redirectFrom(callback)).text).toContain('Live mode: real payments.');
    more = { livemode: true };
    expect(await come(callback)).toMatchObject({ status: 'success' });
    more = {};
  });
});
