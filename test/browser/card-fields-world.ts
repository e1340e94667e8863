import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Browser, BrowserContext, Frame, FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { createShop } from '../../docs/samples/card-fields/shop.ts';
import { violations } from '../support/axe.ts';
import { closeWindows, startBrowser } from '../support/browser.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { freePort } from '../support/ports.ts';
import { disableRateLimits } from '../support/rates.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

interface Mounted {
  on(name: string, handler: (value: { code: string }) => void): void;
  mount(target: string, options: object): void;
  submit(): Promise<{ token: string }>;
  confirm(action: object): Promise<unknown>;
}
interface Fields {
  create(options: object): Mounted;
}
declare global {
  interface Window {
    PartnerFields: Fields;
    /** The fields that `mount` has mounted. */
    fields: Mounted;
    /** What they have reported since. */
    codes: string[];
    /** The page that a test has opened, and what a frame answered it. */
    opened?: Window;
    answers: string[];
    /** Records a message that reaches a window. */
    heard(text: string): void;
  }
}

/** A platform, a shop with the sample of the documentation and a plain page, in a browser, for the tests of a file. */
export function cardFieldsWorld() {
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
    await disableRateLimits(platform);
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
    await closeWindows();
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
      const listen = MessagePort.prototype.addEventListener;
      MessagePort.prototype.addEventListener = function (type: string, listener: unknown) {
        listen.call(this, type, (event) => {
          window.heard(JSON.stringify((event as MessageEvent).data));
          (listener as (event: Event) => void)(event);
        });
      };
      addEventListener('message', ({ data }) => window.heard(JSON.stringify(data)));
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

  /** The charges of a test, which count from its begin. */
  async function charged(since: Date): Promise<string[]> {
    const where = { platformAccountId: account.id, createdAt: { gte: since } };
    return (await platform.services.prisma.payment.findMany({ where })).map(({ status }) => status).sort();
  }

  return {
    get browser() {
      return browser;
    },
    get platform() {
      return platform;
    },
    get account() {
      return account;
    },
    get context() {
      return context;
    },
    get shopUrl() {
      return shopUrl;
    },
    get plainUrl() {
      return plainUrl;
    },
    opened,
    complaints,
    sent,
    visit,
    createSession,
    charged,
  };
}

/** What the script answers on the page, and the errors it tells. */
export async function mount(page: Page, options: object, mounted: object = {}): Promise<void> {
  await page.evaluate(
    ([given, how]) => {
      window.codes = [];
      window.fields = window.PartnerFields.create(given);
      window.fields.on('error', ({ code }) => window.codes.push(code));
      window.fields.on('ready', () => window.codes.push('ready'));
      window.fields.mount('#card', how);
    },
    [options, mounted] as const,
  );
}
export const codesOf = (page: Page) => page.evaluate(() => window.codes);
export const submitOn = (page: Page) =>
  page.evaluate(() =>
    window.fields.submit().then(
      ({ token }) => token,
      ({ code }: { code: string }) => code,
    ),
  );

export const cardOf = (page: Page): FrameLocator => page.frameLocator('#card iframe');
export const bankOf = (page: Page): FrameLocator => page.frameLocator('dialog iframe').frameLocator('iframe');
export const payButton = (page: Page) => page.getByRole('button', { name: 'Pay $49.00' });

export const enter = (page: Page, cardNumber?: string) => enterIn(cardOf(page), cardNumber);
export async function enterIn(fields: FrameLocator, cardNumber = '4242424242424242'): Promise<void> {
  await fields.getByLabel('Card number').fill(cardNumber);
  await fields.getByLabel('Expiry (MM / YY)').fill('1239');
  await fields.getByLabel('Security code').fill('123');
}
export async function pay(page: Page, cardNumber?: string): Promise<void> {
  await enter(page, cardNumber);
  await payButton(page).click();
}
export const thanks = (page: Page) => page.getByRole('heading', { name: 'Thank you' }).waitFor();

/** A frame needs no heading of its own: the page around it has one. */
export const flawsIn = (frame: Frame) =>
  violations(frame, { 'page-has-heading-one': { enabled: frame.parentFrame() === null } });

/** Saves a screenshot in the configured folder, for manual review. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder) await page.screenshot({ path: join(folder, `fields-${name}.png`) });
}
