import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makePartner, type SignedIn, signedIn } from '../iam/people.ts';
import { startBrowser } from '../support/browser.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

const everything = [
  'Overview',
  'Payments',
  'Disputes',
  'Subscriptions',
  'Withheld charges',
  'Accounts',
  'KYB queue',
  'API keys',
  'Card testing alarms',
  'Events',
  'Webhook deliveries',
  'Partners',
  'Staff',
  'Users',
  'Organizations',
  'Ledger',
  'Jobs',
  'Processor events',
  'Audit log',
];
const ofPartner = everything.slice(0, 8);

let browser: Browser;
let platform: TestPlatform;
let slug: string;
let account: SeededAccount;

beforeAll(async () => {
  [browser, platform] = await Promise.all([startBrowser(), startTestPlatform({ identityProvider: 'embedded' })]);
  const partner = await seedPartner(platform);
  slug = partner.slug;
  account = await partner.account('Corner Shop');
  await account.charge();
  await account.charge('4000000000000002');
  await makePartner(platform, 'console-other');
});
afterAll(async () => {
  await browser?.close();
  await platform?.close();
});

const staff = (role: string): Promise<SignedIn> => signedIn(platform, { platformRoles: [role] });
const ofTheirs = (role: string): Promise<SignedIn> =>
  signedIn(platform, { platformRoles: [role], whitelabelOwnership: slug });

/** A window of the person, which may send requests to this server only and may report no error. */
async function windowOf(
  person: SignedIn | null,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<{ context: BrowserContext; page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const complaints: string[] = [];
  if (person)
    await context.addCookies(
      person.cookie.split('; ').map((cookie) => {
        const [name = '', value = ''] = cookie.split(/=(.*)/s);
        return { name, value, url: platform.url, httpOnly: true };
      }),
    );
  const page = await context.newPage();
  page.setDefaultTimeout(40_000);
  await page.route(
    (url) => url.protocol.startsWith('http') && url.origin !== platform.url,
    (route) => {
      complaints.push(`asked ${route.request().url()}`);
      return route.abort();
    },
  );
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  return { context, page, complaints };
}

const open = (page: Page, path: string): Promise<unknown> => page.goto(`${platform.url}/console${path}`);
const links = (page: Page) => page.getByRole('navigation').getByRole('link');
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const dialog = (page: Page) => page.getByRole('dialog');

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations: found } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join('\n')}`);
  });
}

/** Opens every page that the person's menu has, and returns their names. Each must show its heading and no refusal. */
async function walk(page: Page, after: (name: string) => Promise<void> = async () => undefined): Promise<string[]> {
  await open(page, '/test');
  await heading(page, 'What waits').waitFor();
  const names = (await links(page).allInnerTexts()).filter((name) => name !== 'My account');
  for (const name of names) {
    await links(page)
      .filter({ hasText: new RegExp(`^${name}$`) })
      .click();
    await heading(page, name === 'Overview' ? 'What waits' : name).waitFor();
    await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
    expect(await page.getByRole('alert').allInnerTexts(), name).toEqual([]);
    await after(name);
  }
  return names;
}

describe('who sees which pages, each without a refusal', () => {
  test.each([
    ['superadmin', everything],
    ['hubadmin', everything],
    ['platformpaymentAdmin', everything],
    [
      'accountmanager',
      everything.filter((name) => !['Partners', 'Staff', 'Organizations', 'Audit log'].includes(name)),
    ],
  ])('%s', async (role, expected) => {
    const { context, page, complaints } = await windowOf(await staff(role));
    expect(await walk(page)).toEqual(expected);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test.each([
    ['partneradmin', [...ofPartner, 'Staff', 'Users']],
    ['accountmanager', [...ofPartner, 'Users']],
  ])('%s of a partner', async (role, expected) => {
    const { context, page, complaints } = await windowOf(await ofTheirs(role));
    expect(await walk(page)).toEqual(expected);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('partnerstaff and people without a role are told so, and visitors are led to sign in', async () => {
    for (const person of [await ofTheirs('partnerstaff'), await signedIn(platform)]) {
      const { context, page } = await windowOf(person);
      await open(page, '/test/payments');
      await heading(page, 'There is nothing here for your role').waitFor();
      await context.close();
    }
    const { context, page } = await windowOf(null);
    await open(page, '/test/payments');
    expect(await page.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/idp/sign-in');
    await context.close();
  });
});

describe('every page', () => {
  test.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)('has no finding of axe, %s at %d pixels, and no sideways scroll', async (colorScheme, width) => {
    const { context, page } = await windowOf(await staff('superadmin'), {
      colorScheme,
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
    });
    await walk(page, async (name) => {
      // Away from what shows a tooltip.
      await page.mouse.move(0, 0);
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(() => page.getByRole('tooltip').count()).toBe(0);
      expect(await violations(page), name).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(width);
      await page.setViewportSize({ width: 1280, height: 900 });
    });
    await context.close();
  });
});

describe("an operator's day", () => {
  test('finds a payment by e-mail, refunds a part with a reason, and sees both in its timeline', async () => {
    const { payment } = await account.charge();
    const customer = await platform.services.prisma.customer.findUniqueOrThrow({
      where: { id: String(payment['customerId']) },
    });
    const { context, page, complaints } = await windowOf(await staff('hubadmin'));
    await open(page, '/test/payments');
    await page.getByLabel('Customer e-mail').fill(customer.email);
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).searchParams.get('customerEmail')).toBe(customer.email);
    await page
      .getByRole('row', { name: new RegExp(customer.email) })
      .getByRole('link')
      .click();
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    await dialog(page).getByLabel('Amount in USD').fill('1.5');
    await dialog(page).getByLabel('Reason').fill('one item was missing');
    await page.keyboard.press('Enter');
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByText('refund of $1.50').waitFor();
    await page.getByText('one item was missing').waitFor();
    expect(await refundsOf(payment['id'])).toEqual([150]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('an answer that is lost: the fields are locked, the same call is sent again, and there is one refund', async () => {
    const { context, page, paymentId } = await refundOf2WithoutAnswer();
    expect(await dialog(page).getByLabel('Reason').inputValue()).toBe('asked for it');
    expect(await dialog(page).getByLabel('Reason').isDisabled()).toBe(true);
    expect(await dialog(page).getByLabel('Amount in USD').isDisabled()).toBe(true);
    await dialog(page).getByRole('button', { name: 'Try again' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(await refundsOf(paymentId)).toEqual([200]);
    await context.close();
  });

  test('an answer that is lost outlives its dialog, a lost session and 429: the third attempt makes no second refund', async () => {
    const { context, page, paymentId } = await refundOf2WithoutAnswer();
    await closeDialog(page);
    await page.getByText('refund of $2.00').waitFor();
    for (const [status, code] of [
      [401, 'NOT_AUTHORIZED'],
      [429, 'TOO_MANY_REQUESTS'],
    ] as const) {
      await page.getByRole('button', { name: 'Refund', exact: true }).click();
      expect(await dialog(page).getByLabel('Amount in USD').inputValue()).toBe('2');
      expect(await dialog(page).getByLabel('Amount in USD').isDisabled()).toBe(true);
      await page.route('**/graphql', (route) => route.fulfill({ status, json: { code, message: 'Not now.' } }), {
        times: 1,
      });
      await dialog(page).getByRole('button', { name: 'Try again' }).click();
      await dialog(page).getByText('Not now.').waitFor();
      await dialog(page).getByText('Whether it was done is not known').waitFor();
      await closeDialog(page);
    }
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Try again' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(await refundsOf(paymentId)).toEqual([200]);
    await context.close();
  });

  test('a dialog that is closed while its refund runs shows the same refund when it is opened again', async () => {
    const { payment } = await account.charge();
    const { context, page } = await windowOf(await staff('hubadmin'));
    await open(page, `/test/payments/${payment['id']}`);
    const answer = Promise.withResolvers<void>();
    await typeRefund(page, '2');
    await page.route('**/graphql', (route) => answer.promise.then(() => route.continue()), { times: 1 });
    await page.keyboard.press('Enter');
    await closeDialog(page);
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    expect(await dialog(page).getByRole('button', { name: 'Refund' }).isDisabled()).toBe(true);
    answer.resolve();
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByText('refund of $2.00').waitFor();
    expect(await refundsOf(payment['id'])).toEqual([200]);
    await context.close();
  });

  test('an action without Idempotency-Key does not promise that it is done once', async () => {
    const { context, page } = await windowOf(await staff('hubadmin'));
    await open(page, `/test/partners/${slug}`);
    await page.getByRole('button', { name: 'New test key' }).click();
    await dialog(page).getByLabel('Label').fill('night batch');
    await loseAnswer(page);
    await page.keyboard.press('Enter');
    await dialog(page).getByText('sent again, it may be done twice').waitFor();
    expect(await dialog(page).getByLabel('Label').isEnabled()).toBe(true);
    await context.close();
  });

  test('an amount above what is left is refused with the reason, changes nothing, and keeps what was typed', async () => {
    const { payment } = await account.charge();
    const { context, page } = await windowOf(await staff('hubadmin'));
    await open(page, `/test/payments/${payment['id']}`);
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    await dialog(page).getByLabel('Amount in USD').fill('999999');
    await dialog(page).getByLabel('Reason').fill('too much');
    await page.keyboard.press('Enter');
    await dialog(page).getByRole('alert').waitFor();
    expect(await dialog(page).getByLabel('Amount in USD').inputValue()).toBe('999999');
    expect(await refundsOf(payment['id'])).toEqual([]);
    await context.close();
  });

  test('a session that ended meanwhile says so and keeps what was typed', async () => {
    const { payment } = await account.charge();
    const { context, page } = await windowOf(await staff('hubadmin'));
    await open(page, `/test/payments/${payment['id']}`);
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    await dialog(page).getByLabel('Reason').fill('typed before');
    await context.clearCookies();
    await page.keyboard.press('Enter');
    await dialog(page).getByText('Your session has ended').waitFor();
    expect(await dialog(page).getByLabel('Reason').inputValue()).toBe('typed before');
    expect(await refundsOf(payment['id'])).toEqual([]);
    await context.close();
  });

  test('live is asked twice, and readers see why a button is disabled', async () => {
    const partner = await seedPartner(platform, 'live');
    const live = await partner.account('Live Shop');
    const { context, page } = await windowOf(await staff('hubadmin'));
    await open(page, `/live/accounts/${live.id}`);
    await page.getByRole('button', { name: 'Suspend' }).click();
    await dialog(page).getByLabel('Reason').fill('too many disputes');
    expect(await dialog(page).getByRole('button', { name: 'Suspend' }).isDisabled()).toBe(true);
    await dialog(page).getByLabel('This is live').fill('LIVE');
    await dialog(page).getByRole('button', { name: 'Suspend' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Activate' }).waitFor();
    await context.close();
    const reader = await windowOf(await staff('accountmanager'));
    await open(reader.page, `/live/accounts/${live.id}`);
    const activate = reader.page.getByRole('button', { name: 'Activate' });
    expect(await activate.getAttribute('aria-description')).toContain('This takes the role superadmin, hubadmin');
    // A click that a person makes, although the button says that it is disabled.
    await activate.click({ force: true });
    expect(await dialog(reader.page).count()).toBe(0);
    await reader.context.close();
  });
});

async function closeDialog(page: Page): Promise<void> {
  await dialog(page).getByRole('button', { name: 'Close', exact: true }).click();
  await dialog(page).waitFor({ state: 'detached' });
}

async function typeRefund(page: Page, amount: string): Promise<void> {
  await page.getByRole('button', { name: 'Refund', exact: true }).click();
  await dialog(page).getByLabel('Amount in USD').fill(amount);
  await dialog(page).getByLabel('Reason').fill('asked for it');
}

/** The platform does what the next call asks, and its answer is lost. */
const loseAnswer = (page: Page) =>
  page.route(
    '**/graphql',
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );

async function refundOf2WithoutAnswer() {
  const { payment } = await account.charge();
  const { context, page } = await windowOf(await staff('hubadmin'));
  await open(page, `/test/payments/${payment['id']}`);
  await typeRefund(page, '2');
  await loseAnswer(page);
  await page.keyboard.press('Enter');
  await dialog(page).getByText('Whether it was done is not known').waitFor();
  expect(await refundsOf(payment['id'])).toEqual([200]);
  return { context, page, paymentId: payment['id'] };
}

async function refundsOf(paymentId: unknown): Promise<number[]> {
  const refunds = await platform.services.prisma.refund.findMany({ where: { paymentId: String(paymentId) } });
  return refunds.map(({ amount }) => Number(amount));
}

describe('how it is served', () => {
  test('200 with a policy that runs no inline script and frames nowhere; files are kept for ever', async () => {
    const response = await fetch(`${platform.url}/console/live/payments/pay_x`, { headers: { Accept: 'text/html' } });
    const page = await response.text();
    expect(response.status).toBe(200);
    const policy = response.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toContain("script-src 'self'; style-src 'self' 'nonce-");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    const [, script = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec(page) ?? [];
    const file = await fetch(platform.url + script);
    expect([file.status, file.headers.get('Cache-Control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect((await fetch(`${platform.url}/console/assets/none.js`)).status).toBe(404);
  });
});
