// cspell:ignore Geben ganze Kartennummer Gültig Prüfnummer Nordwind Schließen Vielen Dank Bestätigen
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, Frame, FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createShop } from '../../docs/samples/card-fields/shop.ts';
import { freePort } from '../../src/dev/postgres-server.ts';
import { logoPath, readLogo } from '../../src/look/logo.ts';
import { startBrowser } from '../support/browser.ts';
import { dataUrlOf, pngOf } from '../support/images.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { liftRates } from '../support/rates.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

/** The shop is at localhost and the platform at 127.0.0.1: two origins, and two sites to the browser. */
let browser: Browser;
let platform: TestPlatform;
let account: SeededAccount;
let shop: Server;
let shopUrl: string;
let plain: Server;
let plainUrl: string;
let context: BrowserContext;
const opened: BrowserContext[] = [];
const complaints: string[] = [];
const sent: string[] = [];

beforeAll(async () => {
  [browser, platform] = await Promise.all([startBrowser(), startTestPlatform()]);
  await liftRates(platform);
  account = await (await seedPartner(platform)).account('Corner Shop');
  const [shopPort, plainPort] = [await freePort(), await freePort()];
  shopUrl = `http://localhost:${shopPort}`;
  plainUrl = `http://localhost:${plainPort}`;
  shop = createShop({ platformUrl: platform.url, key: account.subKey, origin: shopUrl });
  plain = createPlainServer();
  await Promise.all([
    new Promise<void>((resolve) => shop.listen(shopPort, resolve)),
    new Promise<void>((resolve) => plain.listen(plainPort, resolve)),
  ]);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
  // What a page may tell: no card number leaves the frame except to the platform, and no secret is in an address.
  expect(sent.splice(0).filter((text) => /4242 ?4242|_secret_/.test(text))).toEqual([]);
  expect(complaints.splice(0)).toEqual([]);
});
afterAll(async () => {
  await browser?.close();
  for (const server of [shop, plain]) {
    server?.close();
    server?.closeAllConnections();
  }
  await platform?.close();
});

/** A page of a visitor, which hears every message that reaches its window. */
async function visit(url = shopUrl, { width = 900, height = 900 } = {}, of?: BrowserContext): Promise<Page> {
  context = of ?? (await browser.newContext({ viewport: { width, height } }));
  if (!of) opened.push(context);
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    sent.push(request.url());
    if (request.url().startsWith(shopUrl)) sent.push(request.postData() ?? '');
  });
  await page.exposeFunction('heard', (text: string) => void sent.push(text));
  await page.addInitScript(() => {
    if (window !== parent) return;
    const told = globalThis as unknown as { heard(text: string): void };
    const listen = MessagePort.prototype.addEventListener;
    MessagePort.prototype.addEventListener = function (type: string, listener: unknown) {
      listen.call(this, type, (event) => {
        told.heard(JSON.stringify((event as MessageEvent).data));
        (listener as (event: Event) => void)(event);
      });
    };
    addEventListener('message', ({ data }) => told.heard(JSON.stringify(data)));
  });
  await page.goto(url);
  return page;
}

/** A server of two pages: one with the script of the platform, one with the frame of a session and no script. */
function createPlainServer(): Server {
  return createServer((request, response) => {
    const id = /^\/bare\/(\w+)$/.exec(request.url ?? '')?.[1];
    const body = id
      ? `<iframe src="${platform.url}/fields/frame/${id}"></iframe>`
      : `<link rel="icon" href="data:,"><div id="card"></div><script src="${platform.url}/fields/v1.js"></script>`;
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!doctype html><title>Plain</title>${body}`);
  });
}

const createSession = (): Promise<{ id: string; clientSecret: string }> =>
  account.api.ok('/payment-instruments/client-sessions', {
    origins: [plainUrl],
    amount: 4900,
    currency: 'USD',
  });

/** What the script answers on the page, and the errors it tells. */
async function mount(page: Page, options: object, mounted: object = {}): Promise<void> {
  await page.evaluate(
    ([given, how]) => {
      const told = globalThis as unknown as { PartnerFields: Fields; fields: Mounted; codes: string[] };
      told.codes = [];
      told.fields = told.PartnerFields.create(given);
      told.fields.on('error', ({ code }) => told.codes.push(code));
      told.fields.on('ready', () => told.codes.push('ready'));
      told.fields.mount('#card', how);
    },
    [options, mounted] as const,
  );
}
interface Mounted {
  on(name: string, handler: (value: { code: string }) => void): void;
  mount(target: string, options: object): void;
  submit(): Promise<{ token: string }>;
  confirm(action: object): Promise<unknown>;
}
interface Fields {
  create(options: object): Mounted;
}
const codesOf = (page: Page) => page.evaluate(() => (globalThis as unknown as { codes: string[] }).codes);
const submitOn = (page: Page) =>
  page.evaluate(() =>
    (globalThis as unknown as { fields: Mounted }).fields.submit().then(
      ({ token }) => token,
      ({ code }: { code: string }) => code,
    ),
  );

const cardOf = (page: Page): FrameLocator => page.frameLocator('#card iframe');
const bankOf = (page: Page): FrameLocator => page.frameLocator('dialog iframe').frameLocator('iframe');
const payButton = (page: Page) => page.getByRole('button', { name: 'Pay $49.00' });

async function enter(page: Page, cardNumber = '4242424242424242'): Promise<void> {
  await cardOf(page).getByLabel('Card number').fill(cardNumber);
  await cardOf(page).getByLabel('Expiry (MM / YY)').fill('1239');
  await cardOf(page).getByLabel('Security code').fill('123');
}
async function pay(page: Page, cardNumber?: string): Promise<void> {
  await enter(page, cardNumber);
  await payButton(page).click();
}
const thanks = (page: Page) => page.getByRole('heading', { name: 'Thank you' }).waitFor();

/** The charges of a test, which count from its begin. */
async function charged(since: Date): Promise<string[]> {
  const where = { platformAccountId: account.id, createdAt: { gte: since } };
  return (await platform.services.prisma.payment.findMany({ where })).map(({ status }) => status).sort();
}

/** A frame needs no heading of its own: the page around it has one. */
async function violations(frame: Frame): Promise<string[]> {
  await frame.evaluate(axe.source);
  return frame.evaluate(async () => {
    const { violations: found } = await (globalThis as unknown as { axe: typeof axe }).axe.run({
      rules: { 'page-has-heading-one': { enabled: window === parent } },
    });
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`);
  });
}

/** Saves a screenshot in the configured folder, for manual review. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder) await page.screenshot({ path: join(folder, `fields-${name}.png`) });
}

test('a visitor with a phone and a keyboard pays; axe finds nothing in the page and in the frame', {
  timeout: 60_000,
}, async () => {
  const since = new Date();
  const page = await visit(shopUrl, { width: 390, height: 844 });
  await cardOf(page).getByLabel('Card number').waitFor();
  const [top, frame] = page.frames();
  if (!top || !frame) throw new Error('There is no frame.');
  expect([await violations(top), await violations(frame)]).toEqual([[], []]);
  await payButton(page).focus();
  await page.keyboard.press('Enter');
  // The first wrong field has the focus, and says what is wrong.
  await cardOf(page).getByText('Enter the whole card number.').waitFor();
  expect(await frame.evaluate(() => document.activeElement?.id)).toBe('number');
  expect(await cardOf(page).getByLabel('Card number').getAttribute('aria-invalid')).toBe('true');
  await shoot(page, 'wrong');
  expect(await violations(frame)).toEqual([]);
  await page.keyboard.type('4242424242424242');
  await page.keyboard.press('Tab');
  await page.keyboard.type('1239');
  await page.keyboard.press('Tab');
  await page.keyboard.type('123');
  await shoot(page, 'phone');
  expect(await cardOf(page).getByLabel('Card number').inputValue()).toBe('4242 4242 4242 4242');
  expect(await cardOf(page).locator('#brand').innerText()).toBe('Visa');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  // Enter in a field submits, and from the last field the next stop is the button of the page.
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('pay');
  await page.keyboard.press('Enter');
  await thanks(page);
  expect(await charged(since)).toEqual(['succeeded']);
});

test('Enter in a field submits; clicks at once, a reload and a second tab are one charge', {
  timeout: 60_000,
}, async () => {
  const since = new Date();
  const page = await visit();
  const other = await visit(shopUrl, {}, context);
  await Promise.all([enter(page), enter(other)]);
  await payButton(page).evaluate((button: HTMLButtonElement) => {
    for (let clicks = 0; clicks < 3; clicks++) button.click();
  });
  await cardOf(other).getByLabel('Security code').press('Enter');
  await Promise.all([thanks(page), thanks(other)]);
  await page.reload();
  await thanks(page);
  expect(await charged(since)).toEqual(['succeeded']);
});

test('a challenge is answered in a layer over the page, also after closing it and after a reload', {
  timeout: 60_000,
}, async () => {
  const since = new Date();
  const page = await visit(shopUrl, { width: 390, height: 844 });
  await pay(page, '4000000000003220');
  await bankOf(page).getByText('$49.00 with the card ending in 3220').waitFor();
  await shoot(page, 'challenge');
  const layer = page.frames().find((frame) => frame.url().includes('/fields/challenge/'));
  if (!layer) throw new Error('There is no layer.');
  expect(await violations(layer)).toEqual([]);
  // Later, because the layer is removed with its frame: a key press that waits for the frame would wait for ever.
  await layer.evaluate(() => void setTimeout(() => dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))));
  await page.getByText('The payment is not confirmed yet.').waitFor();
  await payButton(page).click();
  await bankOf(page).getByRole('button', { name: 'Complete' }).waitFor();
  await page.reload();
  await bankOf(page).getByRole('button', { name: 'Complete' }).click();
  await thanks(page);
  expect(page.url()).toBe(`${shopUrl}/`);
  expect(await charged(since)).toEqual(['succeeded']);
});

test.each([
  'light',
  'dark',
] as const)("fields, layer and return speak the visitor's language and show the partner's logo and color on a %s screen", {
  timeout: 60_000,
}, async (colorScheme) => {
  const logo = readLogo(dataUrlOf(pngOf(64, 64)));
  if ('problem' in logo) throw new Error(logo.problem);
  const branding = { displayName: 'Nordwind Pay', primaryColor: '#0f766e', logoImage: logoPath(logo) };
  const { prisma, clock } = platform.services;
  const { partnerId } = await prisma.processingAccount.findUniqueOrThrow({ where: { id: account.id } });
  await prisma.partner.update({ where: { id: partnerId }, data: { branding } });
  const stored = { file: logo.file, content: Uint8Array.from(logo.content), createdAt: clock.now() };
  await prisma.partnerLogo.upsert({ where: { partnerId }, create: { partnerId, ...stored }, update: stored });

  const german = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'de-AT', colorScheme });
  opened.push(german);
  const page = await visit(plainUrl, {}, german);
  const { id, clientSecret } = await createSession();
  await mount(page, { clientSecret });
  await cardOf(page).getByLabel('Kartennummer').fill('4000000000003220');
  const fields = page.frames().find((frame) => frame.url().includes('/fields/frame/'));
  expect(
    await fields?.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--colorAccent')),
  ).toBe('#0f766e');
  const { payment } = await account.charge('4000000000003220', { amount: 4_900 });
  const { url } = payment['requireActionData'] as { url: string };
  const confirmed = page.evaluate(
    (to) => (globalThis as unknown as { fields: Mounted }).fields.confirm({ url: to }),
    url,
  );
  await bankOf(page).getByRole('button', { name: 'Bestätigen' }).waitFor();
  await shoot(page, `layer-de-${colorScheme}`);
  const layer = page.frames().find((frame) => frame.url().includes('/fields/challenge/'));
  if (!layer) throw new Error('There is no layer.');
  expect(await violations(layer)).toEqual([]);
  expect(
    await layer.evaluate(() => [
      document.documentElement.lang,
      document.querySelector('#brand')?.textContent,
      document.images[0]?.naturalWidth,
      matchMedia('(prefers-color-scheme: dark)').matches,
    ]),
  ).toEqual(['de', 'Nordwind Pay', 64, colorScheme === 'dark']);
  // The frame of the button is gone before the click ends, so the click is not awaited.
  void page
    .frameLocator('dialog iframe')
    .getByRole('button', { name: 'Schließen' })
    .click()
    .catch(() => undefined);
  expect(await confirmed).toEqual({ status: 'closed' });

  await page.goto(`${platform.url}/fields/return/${id}`);
  await page.getByRole('heading', { name: 'Vielen Dank' }).waitFor();
  expect(await violations(page.mainFrame())).toEqual([]);
  await shoot(page, `return-de-${colorScheme}`);
});

test('a failed challenge and a declined card are said, and another card pays', { timeout: 60_000 }, async () => {
  const since = new Date();
  const page = await visit();
  await pay(page, '4000000000003220');
  await bankOf(page).getByRole('button', { name: 'Fail' }).click();
  await page.getByText('The card was declined. Try another card.').waitFor();
  await pay(page, '4000000000000002');
  await expect.poll(() => charged(since)).toEqual(['declined', 'declined']);
  await page.getByText('The card was declined. Try another card.').waitFor();
  await expect.poll(() => cardOf(page).getByLabel('Card number').inputValue()).toBe('');
  await pay(page);
  await thanks(page);
  expect(await charged(since)).toEqual(['declined', 'declined', 'succeeded']);
});

test('another origin can neither frame the fields, nor ask with the secret, nor speak to the frame of a shop', {
  timeout: 80_000,
}, async () => {
  const { id, clientSecret } = await createSession();
  const hostile = await visit(plainUrl.replace('localhost', 'hostile.localhost'));
  await mount(hostile, { clientSecret });
  const asked = await hostile.evaluate(
    async ([url, secret]) => {
      const ask = (path: string, init: RequestInit) =>
        fetch(url + path, init).then(
          () => 'answered',
          () => 'refused',
        );
      const body = JSON.stringify({ clientSecret: secret });
      const json = { 'Content-Type': 'application/json' };
      return Promise.all([
        ask('/fields/session', { method: 'POST', headers: json, body }),
        ask('/fields/submit', { method: 'POST', headers: json, body }),
        ask('/api/public/v1/auth/test', { headers: { Authorization: 'Bearer x' } }),
      ]);
    },
    [platform.url, clientSecret] as const,
  );
  expect(asked).toEqual(['refused', 'refused', 'refused']);
  // The browser does not show the frame on its page, which the script says after 15 seconds at the latest.
  await hostile.getByRole('alert').getByText('The card form could not be loaded.').waitFor({ timeout: 20_000 });
  expect(await codesOf(hostile)).toEqual(['frame_unavailable']);
  // It opens a page that may frame the fields, knows even the secret, and speaks first.
  const popup = hostile.context().waitForEvent('page');
  await hostile.evaluate((url) => void Object.assign(globalThis, { opened: open(url) }), `${plainUrl}/bare/${id}`);
  const bare = await popup;
  // A popup is an empty page first, which has loaded too.
  await bare.waitForURL('**/bare/*');
  const speak = ([origin, secret]: readonly [string, string]): Promise<string[]> => {
    const page = globalThis as unknown as { opened?: Window; answers: string[] };
    const channel = new MessageChannel();
    page.answers = [];
    channel.port1.addEventListener('message', ({ data }) => page.answers.push(data.type));
    channel.port1.start();
    const to = (page.opened ?? window).frames[0];
    to?.postMessage({ type: 'platform-fields/init', clientSecret: secret }, origin, [channel.port2]);
    return Promise.resolve(page.answers);
  };
  await hostile.evaluate(speak, [platform.url, clientSecret] as const);
  await bare.evaluate(speak, [platform.url, clientSecret] as const);
  const answersOf = (page: Page) => page.evaluate(() => (globalThis as unknown as { answers: string[] }).answers);
  await expect.poll(() => answersOf(bare), { timeout: 10_000 }).toContain('ready');
  expect(await answersOf(hostile)).toEqual([]);
  expect(await platform.services.prisma.clientSession.findUnique({ where: { id } })).toMatchObject({ attempts: 0 });
  expect(complaints.splice(0).some((text) => text.includes('frame-ancestors'))).toBe(true);
});

test('a page cannot swap the amount, style by code, lay itself over the fields to submit, or use a secret again', {
  timeout: 60_000,
}, async () => {
  const { clientSecret } = await createSession();
  const page = await visit(plainUrl);
  const variables = {
    colorAccent: '#0a7',
    fontFamily: 'Georgia',
    colorText: 'url(https://hostile.example.com)',
    position: 'fixed',
    gap: '0;display:none',
  };
  await mount(page, { clientSecret, amount: 1, locale: 'de-AT' }, { amount: 1, appearance: { variables } });
  const card = cardOf(page);
  await card.getByText('49,00').waitFor();
  await shoot(page, 'german');
  expect(await card.locator('#summary').innerText()).not.toContain('0,01');
  await expect.poll(() => codesOf(page)).toEqual(['invalid_appearance', 'ready']);
  const style = await card.locator('html').getAttribute('style');
  expect(style).toBe('--colorAccent: #0a7; --fontFamily: "Georgia";');
  expect(await submitOn(page)).toBe('incomplete_card');
  await card.getByText('Geben Sie die ganze Kartennummer ein.').waitFor();
  await card.getByLabel('Kartennummer').fill('4242424242424242');
  await card.getByLabel('Gültig bis (MM / JJ)').fill('1239');
  await card.getByLabel('Prüfnummer').fill('123');
  // An invisible frame under the pointer: nothing in it submits by itself.
  await page.evaluate(() => document.querySelector('iframe')?.style.setProperty('opacity', '0.01'));
  const box = await page.locator('#card iframe').boundingBox();
  for (let y = 5; y < (box?.height ?? 0); y += 20) await page.mouse.click((box?.x ?? 0) + 40, (box?.y ?? 0) + y);
  await page.keyboard.press('Enter');
  expect(sent.filter((url) => url.endsWith('/fields/submit'))).toEqual([]);
  const refusal = await page.evaluate(() =>
    (globalThis as unknown as { fields: Mounted }).fields
      .confirm({ url: 'javascript:parent.postMessage(1, "*")' })
      .then(String, ({ code }: { code: string }) => code),
  );
  expect(refusal).toBe('invalid_action');
  const token = await submitOn(page);
  expect([token, await submitOn(page)]).toEqual([expect.stringMatching(/^tok_/), token]);
  await mount(page, { clientSecret, locale: 'en' });
  await card.getByText('This form is no longer valid.').waitFor();
  expect([await codesOf(page), await submitOn(page)]).toEqual([['session_over'], 'session_over']);
  // The browser reports the answer 410.
  expect(complaints.splice(0)).toEqual([expect.stringContaining('410')]);
});

test('the network fails at each step: the page says so, trying again goes on, and nothing happens twice', {
  timeout: 80_000,
}, async () => {
  const since = new Date();
  const page = await visit('about:blank');
  /** The next request is lost, or the answer to it. */
  const lose = (url: string, what: 'request' | 'answer') =>
    context.route(
      url,
      async (route) => {
        if (what === 'answer') await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
  await lose('**/fields/v1.*.js', 'request');
  await lose('**/fields/frame/*', 'request');
  await lose('**/fields/session', 'request');
  await page.goto(shopUrl);
  await page.getByRole('status').getByText('The card form could not be loaded.').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('#card').getByRole('alert').getByText('could not be loaded').waitFor();
  await shoot(page, 'unavailable');
  await page.locator('#card').getByRole('button', { name: 'Try again' }).click();
  await cardOf(page).getByRole('alert').getByText('There was no answer.').waitFor();
  await shoot(page, 'no-answer');
  await cardOf(page).getByRole('button', { name: 'Try again' }).click();

  await lose('**/fields/submit', 'answer');
  await pay(page, '4000000000003220');
  await cardOf(page).getByRole('alert').getByText('There was no answer.').waitFor();
  await lose(`${shopUrl}/pay`, 'answer');
  await payButton(page).click();
  await page.locator('#problem').getByText('you are charged once at most').waitFor();
  await lose('**/fields/challenge/*', 'request');
  await payButton(page).click();
  await page.locator('#problem').getByText('The card form could not be loaded.').waitFor();
  await lose('**/test/3ds/*', 'request');
  await payButton(page).click();
  await page.frameLocator('dialog iframe').getByRole('button', { name: 'Load it again' }).click();
  await lose(`${shopUrl}/continue`, 'answer');
  await bankOf(page).getByRole('button', { name: 'Complete' }).click();
  await page.locator('#problem').getByText('you are charged once at most').waitFor();
  await payButton(page).click();
  await thanks(page);

  expect(await charged(since)).toEqual(['succeeded']);
  const tokens = await platform.services.prisma.token.count({
    where: { platformAccountId: account.id, createdAt: { gte: since } },
  });
  expect(tokens).toBe(1);
  expect(complaints.splice(0).filter((text) => !text.includes('net::ERR_FAILED'))).toEqual([]);
});
