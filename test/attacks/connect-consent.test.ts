import { expect, test } from 'vitest';
import { manualClock } from '../../src/lib/clock.ts';
import { answerIn, initiatePath, newVisitor, stripeProcessor } from '../domains/processors/connect/walk.ts';
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

/** The callback of a processor that approved. */
async function callbackUrl(): Promise<string> {
  const response = await fetch(await begin(), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"outcome":"approve"}',
  });
  return ((await response.json()) as { url: string }).url;
}

async function attemptOf(callback: string) {
  const [id] = (new URL(callback).searchParams.get('state') ?? '').split('.');
  return platform.services.prisma.connectAttempt.findFirstOrThrow({ where: { id } });
}

const isConnected = async () =>
  (await platform.services.prisma.processor.findUniqueOrThrow({ where: { id: processorId } })).connected;
const refused = { status: 403, location: null };

test('200 with a page that names partner, account and mode, escaped, and contains no code', async () => {
  const callback = await callbackUrl();
  const { status, text } = await newVisitor().open(callback);
  expect(status).toBe(200);
  expect(text).toContain(`<strong>${partnerSlug}</strong>`);
  expect(text).toContain('<strong>Bakery &#60;b&#62;&#38;&#60;/b&#62; Sons</strong>');
  expect(text).toContain('Test mode');
  const code = new URL(callback).searchParams.get('code') ?? '';
  expect(code).toMatch(/^test_code_/);
  expect(text).not.toContain(code);
  expect(platform.logged.join()).not.toContain(code);
});

test('200 each time that the callback is opened, by any browser: it connects nothing and uses nothing', async () => {
  const callback = await callbackUrl();
  for (let count = 0; count < 3; count++) expect((await newVisitor().open(callback)).status).toBe(200);
  expect((await fetch(callback, { method: 'HEAD' })).status).toBe(200);
  const denied = await newVisitor().open(callback.replace(/code=[^&]*/, 'error=access_denied'));
  expect(denied.location).toContain('status=error');
  expect((await attemptOf(callback)).usedAt).toBeNull();
  expect(await isConnected()).toBe(false);
});

test('403 for a form of another site or of no known one: the state stays valid', async () => {
  const callback = await callbackUrl();
  const visitor = newVisitor();
  const page = await visitor.open(callback);
  for (const Origin of ['https://evil.example', 'null', platform.url.replace('http:', 'https:')])
    expect(await visitor.decide(page, 'approve', { headers: { Origin } }), Origin).toMatchObject(refused);
  expect((await attemptOf(callback)).usedAt).toBeNull();
  expect(await isConnected()).toBe(false);
});

test('403 for a form of another browser or attempt: without the cookie, with another, or with another answer', async () => {
  const [callback, otherCallback] = [await callbackUrl(), await callbackUrl()];
  const visitor = newVisitor();
  const page = await visitor.open(callback);
  const other = await visitor.open(otherCallback);
  const stranger = newVisitor();
  const strangersAnswer = answerIn((await stranger.open(callback)).text);
  for (const given of [
    { headers: { Cookie: '' } },
    { headers: { Cookie: `${visitor.cookies().split('=')[0]}=` } },
    { headers: { Cookie: `${visitor.cookies().split('=')[0]}=${'a'.repeat(32)}` } },
    { headers: { Cookie: stranger.cookies() } },
    { answer: strangersAnswer },
    { answer: answerIn(other.text) },
    { answer: `${answerIn(page.text)}x` },
    { answer: '' },
    { answer: 'x' },
    { answer: 'v1.none.x.x' },
  ])
    expect(await visitor.decide(page, 'approve', given), JSON.stringify(given)).toMatchObject(refused);
  expect((await attemptOf(callback)).usedAt).toBeNull();
  expect(await isConnected()).toBe(false);
});

test('400 for a decision that is neither approve nor deny: the state stays valid', async () => {
  const callback = await callbackUrl();
  const visitor = newVisitor();
  const page = await visitor.open(callback);
  expect(await visitor.decide(page, '')).toMatchObject({ status: 400, location: null });
  expect((await attemptOf(callback)).usedAt).toBeNull();
});

test('400 for a field beside those of the form, or one that is sent twice: the state stays valid', async () => {
  const callback = await callbackUrl();
  const visitor = newVisitor();
  const { text } = await visitor.open(callback);
  const fields = `${new URLSearchParams({ answer: answerIn(text), outcome: 'approve' })}`;
  for (const more of ['outCome=deny', 'outcome=deny']) {
    const headers = { Origin: platform.url, Cookie: visitor.cookies() };
    const body = new URLSearchParams(`${fields}&${more}`);
    expect((await fetch(callback, { method: 'POST', headers, body, redirect: 'manual' })).status, more).toBe(400);
  }
  expect((await attemptOf(callback)).usedAt).toBeNull();
});

test('400 for a state that was not issued here, for the page and for its form', async () => {
  const callback = await callbackUrl();
  const visitor = newVisitor();
  const page = await visitor.open(callback);
  for (const state of ['', 'x', `${new URL(callback).searchParams.get('state')}x`]) {
    const forged = new URL(callback);
    forged.searchParams.set('state', state);
    expect((await visitor.open(forged.href)).status).toBe(400);
    const action = ` action="?state=${state}" name="answer" value="${answerIn(page.text)}"`;
    expect((await visitor.decide({ ...page, text: action })).status).toBe(400);
  }
});

test('status=error with state_used in another browser, whether its page was opened before or after the confirmation', async () => {
  const callback = await callbackUrl();
  const [visitor, other] = [newVisitor(), newVisitor()];
  const [page, otherPage] = [await visitor.open(callback), await other.open(callback)];
  expect((await visitor.decide(page)).location).toContain('status=success');
  const { secrets } = await platform.services.prisma.processor.findUniqueOrThrow({ where: { id: processorId } });
  for (const { status, location } of [
    await other.decide(otherPage),
    await other.open(callback),
    await newVisitor().open(callback),
  ]) {
    expect(status).toBe(303);
    expect(location).toMatch(/status=error&.*reason=state_used/);
  }
  expect(await platform.services.prisma.processor.findUnique({ where: { id: processorId } })).toMatchObject({
    secrets,
  });
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
