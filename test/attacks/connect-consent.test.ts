import { expect, test } from 'vitest';
import { manualClock } from '../../src/lib/clock.ts';
import { consent, initiatePath, stripeProcessor } from '../domains/processors/connect/walk.ts';
import { startTestPlatform, usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

// The clock stands still, so that all requests are of one minute.
const platform = await usePlatform({ clock: manualClock(new Date()) });
const partner = await seedPartner(platform);
const partnerSlug = partner.slug;
const account = await partner.account('Bakery <b>&</b> Sons');
const processorId = await stripeProcessor(account.api);

const begin = async (): Promise<string> =>
  (await account.api.ok(initiatePath, { processorId, returnUrl: 'https://shop.example.com/back' })).url;

interface Page {
  status: number;
  text: string;
  cookie: string;
  token: string;
}

async function open(url: string, cookie = ''): Promise<Page> {
  const response = await fetch(url, { headers: { Cookie: cookie } });
  const text = await response.text();
  return {
    status: response.status,
    text,
    cookie: (response.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '',
    token: /name="token" value="([^"]*)"/.exec(text)?.[1] ?? '',
  };
}

const confirm = (url: string, token: string, cookie: string) =>
  fetch(url, { method: 'POST', redirect: 'manual', headers: { Cookie: cookie }, body: new URLSearchParams({ token }) });

/** The callback of a processor that approved, without cookies: another browser than that of the consent. */
async function callbackUrl(): Promise<string> {
  const authorize = await consent(await begin());
  const response = await fetch(authorize, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"outcome":"approve"}',
  });
  return ((await response.json()) as { url: string }).url;
}

test('the first page names partner, account and mode, escaped, before anything is asked of the processor', async () => {
  const { status, text } = await open(await begin());
  expect(status).toBe(200);
  expect(text).toContain(`<strong>${partnerSlug}</strong>`);
  expect(text).toContain('<strong>Bakery &#60;b&#62;&#38;&#60;/b&#62; Sons</strong>');
  expect(text).toContain('test mode');
});

test('403 for a form of another site: without the cookie, with another cookie, token, or that of another attempt', async () => {
  const [url, otherUrl] = [await begin(), await begin()];
  const page = await open(url);
  const other = await open(otherUrl, page.cookie);
  expect(other.cookie).toBe(page.cookie);
  for (const [token, cookie] of [
    [page.token, ''],
    [page.token, 'connect_form='],
    [page.token, `connect_form=${'a'.repeat(32)}`],
    ['', page.cookie],
    [`${page.token}x`, page.cookie],
    [other.token, page.cookie],
  ] as const) {
    const { status, headers } = await confirm(url, token, cookie);
    expect([token, cookie, status, headers.get('Location'), headers.getSetCookie()]).toEqual([
      token,
      cookie,
      403,
      null,
      [],
    ]);
  }
  expect((await confirm(url, page.token, page.cookie)).status).toBe(303);
  expect((await confirm(otherUrl, other.token, page.cookie)).status).toBe(303);
});

test('403 for a callback in a browser that did not confirm; the state stays valid for the one that did', async () => {
  const callback = await callbackUrl();
  const response = await fetch(callback, { redirect: 'manual' });
  expect([response.status, response.headers.get('Location')]).toEqual([403, null]);
  const state = new URL(callback).searchParams.get('state') ?? '';
  const attempt = await platform.services.prisma.connectAttempt.findFirstOrThrow({
    where: { id: state.split('.')[0] },
  });
  expect(attempt.usedAt).toBeNull();
  expect(await platform.services.prisma.processor.findUnique({ where: { id: processorId } })).toMatchObject({
    connected: false,
  });
});

test('400 for a state that was not issued here, 410 for one that was used', async () => {
  const url = new URL(await begin());
  for (const state of ['', 'x', `${url.searchParams.get('state')}x`]) {
    const forged = new URL(url);
    forged.searchParams.set('state', state);
    expect((await open(forged.href)).status).toBe(400);
  }
  await platform.services.pool.query('UPDATE connect_attempts SET "usedAt" = now() WHERE id = $1', [
    url.searchParams.get('state')?.split('.')[0],
  ]);
  expect((await open(url.href)).status).toBe(410);
});

test('429 above 120 requests a minute of one address to the page of test mode', async () => {
  const statuses = new Set<number>();
  for (let count = 0; count < 121; count++)
    statuses.add((await fetch(`${platform.url}/test/connect/authorize`)).status);
  expect(statuses).toEqual(new Set([400, 429]));
});

test('404 for the page and the token endpoint of test mode with a client at a real processor', async () => {
  const env = { STRIPE_CONNECT_CLIENT_ID: 'ca_1', STRIPE_CONNECT_CLIENT_SECRET: 'secret' };
  const configured = await startTestPlatform({ databaseUrl: platform.databaseUrl, env });
  try {
    expect((await fetch(`${configured.url}/test/connect/authorize`)).status).toBe(404);
    expect((await fetch(`${configured.url}/test/connect/token`, { method: 'POST' })).status).toBe(404);
  } finally {
    await configured.close();
  }
});
