import { describe, expect, test } from 'vitest';
import { manualClock } from '../../../../src/lib/clock.ts';
import { usePlatform } from '../../../support/platform.ts';
import { seedPartner } from '../../../support/seed.ts';
import { come, initiatePath, redirectFrom, stripeProcessor } from './walk.ts';

const clock = manualClock(new Date('2030-05-01T10:00:00.000Z'));

const platform = await usePlatform({ clock });
const partner = await seedPartner(platform);
const account = await partner.account();
const processorId = await stripeProcessor(account.api);

const begin = async (): Promise<string> =>
  (await account.api.ok(initiatePath, { processorId, returnUrl: 'https://shop.example.com/back' })).url;
const post = (url: string, body: unknown, type = 'application/json') =>
  fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'Content-Type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
/** Submits the page's form as a user would. */
const answer = async (url: string, outcome: string): Promise<string> =>
  ((await (await post(url, { outcome })).json()) as { url: string }).url;

describe('without client settings', () => {
  test('200 with the page of test mode; approved there by a script, and then on the page of consent, the processor is connected', async () => {
    const url = await begin();
    expect(url).toMatch(new RegExp(`^${platform.url}/test/connect/authorize\\?`));
    expect(await redirectFrom(url)).toMatchObject({ status: 200, text: expect.stringContaining('Approve') });
    expect(await come(await answer(url, 'approve'))).toEqual({ status: 'success', processorId });
    const { items } = await account.api.ok('/processors/list', { filters: { type: ['stripe'] } });
    expect(items).toMatchObject([
      {
        id: processorId,
        connected: true,
        secretOptions: ['accessToken', 'refreshToken'],
        options: { accountId: expect.stringMatching(/^acct_/) },
      },
    ]);
  });

  test('status=error with access_denied when it is denied, by script and by form', async () => {
    expect(await come(await answer(await begin(), 'deny'))).toMatchObject({ status: 'error', reason: 'access_denied' });
    const response = await post(await begin(), 'outcome=deny', 'application/x-www-form-urlencoded');
    expect(await come(response.headers.get('location'))).toMatchObject({ status: 'error', reason: 'access_denied' });
  });

  test('409 connect_not_configured in live mode, and nothing is stored', async () => {
    const live = await (await seedPartner(platform, 'live', partner.id)).account();
    const { status, body } = await live.api.call(initiatePath, {
      processorId: await stripeProcessor(live.api),
      returnUrl: 'https://shop.example.com',
    });
    expect([status, body.code, body.data]).toEqual([409, 'CONFLICT', { reason: 'connect_not_configured' }]);
    expect(await platform.services.prisma.connectAttempt.count({ where: { mode: 'live' } })).toBe(0);
  });

  test('400 for a redirect to any address but the callback, and for any other invalid parameter', async () => {
    for (const [name, value] of [
      ['redirect_uri', 'https://evil.example'],
      ['redirect_uri', `${platform.url}/api/public/v1/processors/cardprocessor-connect/callback?x`],
      ['response_type', 'token'],
      ['client_id', 'other'],
      ['code_challenge_method', 'plain'],
      ['code_challenge', 'short'],
      ['state', ''],
    ] as const) {
      const url = new URL(await begin());
      url.searchParams.set(name, value);
      expect(await redirectFrom(url.href), name).toMatchObject({ status: 400, location: null });
      const response = await post(url.href, { outcome: 'approve' });
      expect([
        response.status,
        ((await response.json()) as { data: { issues: { path: string }[] } }).data.issues[0]?.path,
      ]).toEqual([400, name]);
    }
    expect((await post(await begin(), { outcome: 'perhaps' })).status).toBe(400);
    expect((await post(await begin(), 'outcome=<script>', 'application/x-www-form-urlencoded')).status).toBe(400);
  });
});

describe('its token endpoint', () => {
  const token = async (parameters: Record<string, string>) => {
    const response = await post(
      `${platform.url}/test/connect/token`,
      new URLSearchParams(parameters).toString(),
      'application/x-www-form-urlencoded',
    );
    return [response.status, await response.json()] as const;
  };
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

  async function grant(): Promise<Record<string, string>> {
    const url = new URL(await begin());
    url.searchParams.set('code_challenge', challenge);
    const code = new URL(await answer(url.href, 'approve')).searchParams.get('code') ?? '';
    return {
      grant_type: 'authorization_code',
      client_id: 'test',
      redirect_uri: url.searchParams.get('redirect_uri') ?? '',
      code,
      code_verifier: verifier,
    };
  }

  test('200 once for the holder of the verifier', async () => {
    const requested = await grant();
    expect(await token(requested)).toEqual([
      200,
      expect.objectContaining({ access_token: expect.any(String), token_type: 'bearer', livemode: false }),
    ]);
    expect(await token(requested)).toEqual([400, { error: 'invalid_grant' }]);
  });

  test.each([
    ['another verifier', { code_verifier: `${verifier.slice(1)}A` }, 'invalid_grant'],
    ['none', { code_verifier: '' }, 'invalid_grant'],
    ['another address', { redirect_uri: 'https://evil.example' }, 'invalid_grant'],
    ['another code', { code: 'x' }, 'invalid_grant'],
    ['another client', { client_id: 'x' }, 'invalid_client'],
    ['another grant', { grant_type: 'password' }, 'unsupported_grant_type'],
  ])('400 for %s', async (_name, change, error) => {
    expect(await token({ ...(await grant()), ...change })).toEqual([400, { error }]);
  });

  test('200 with fields that it does not know, which it ignores as OAuth 2 requires', async () => {
    const [status, body] = await token({ ...(await grant()), resource: 'x', client_secret: 'unknown' });
    expect([status, body]).toEqual([200, expect.objectContaining({ token_type: 'bearer' })]);
  });

  test('400 after ten minutes', async () => {
    const requested = await grant();
    clock.advance(600_000);
    expect(await token(requested)).toEqual([400, { error: 'invalid_grant' }]);
  });
});
