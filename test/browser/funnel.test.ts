import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { addFunnel } from '../../prisma/seed/funnel.ts';
import { addPlugin } from '../../prisma/seed/plugin.ts';
import { openPage, startBrowser, type WatchedPage } from '../support/browser.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { liftRates } from '../support/rates.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

let browser: Browser;
let platform: TestPlatform;
let account: SeededAccount;
let funnel: { id: string; path: string };
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  [browser, platform] = await Promise.all([startBrowser(), startTestPlatform()]);
  await liftRates(platform);
  const partner = await seedPartner(platform);
  account = await partner.account('Browser Merchant');
  const { id: platformAccountId, storeId } = account;
  const caller = {
    kind: 'subKey',
    keyId: 'ak_seed',
    keyPrefix: '',
    mode: 'test',
    partnerId: partner.id,
    platformAccountId,
  } as const;
  const shop = { name: 'demo', caller, storeId, currency: 'USD', customers: 0 };
  // The demo's funnel on the demo's own pages.
  funnel = await addFunnel(platform.services, shop, await addPlugin(platform.services, shop));
});
beforeEach(async () => {
  watched = await openPage(browser, platform.url);
  page = watched.page;
});
afterEach(async () => {
  await page.close();
  // No page may send requests to other hosts or report errors.
  expect(watched.strangeRequests).toEqual([]);
  expect(watched.complaints).toEqual([]);
});
afterAll(async () => {
  await browser?.close();
  await platform?.close();
});

/** Saves a screenshot of each page in the configured folder, for manual review. */
async function shoot(name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

async function toCheckout(): Promise<string> {
  await page.goto(platform.url + funnel.path);
  await page.waitForURL('**/landing?session=*');
  await page.getByRole('button', { name: 'Continue to checkout' }).waitFor();
  await page.getByText('$49.00').first().waitFor();
  await shoot('landing');
  await page.getByRole('button', { name: 'Continue to checkout' }).click();
  await page.waitForURL('**/checkout?session=*');
  await page.getByText('$49.00').first().waitFor();
  return (
    await platform.services.prisma.funnelSession.findFirstOrThrow({
      where: { funnelId: funnel.id },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    })
  ).id;
}

async function pay(cardNumber: string): Promise<void> {
  await page.getByLabel('E-mail address').fill('visitor@example.com');
  await page.getByLabel('Card number').fill(cardNumber);
  await page.getByLabel('Expiry').fill('12 / 39');
  await page.getByLabel('Security code').fill('123');
  await page.getByRole('button', { name: /^Pay now/ }).click();
}

const figuresOf = async () =>
  Object.fromEntries(
    (await account.api.ok(`/funnels/${funnel.id}/figures`)).steps.map(
      ({
        stepId,
        views,
        conversions,
        revenue,
      }: {
        stepId: string;
        views: number;
        conversions: number;
        revenue: { amount: number }[];
      }) => [stepId, [views, conversions, revenue[0]?.amount ?? 0]],
    ),
  );
const ordersOf = async () =>
  (await account.api.ok('/orders/list', {})).items
    .map(({ amount, status }: { amount: number; status: string }) => `${amount} ${status}`)
    .sort();

test('a visitor pays with 4242…, takes the offer with one click, and both orders are paid', {
  timeout: 60_000,
}, async () => {
  const sessionId = await toCheckout();
  await shoot('checkout');
  await pay('4242 4242 4242 4242');
  await page.waitForURL('**/offer?session=*');
  await page.getByText('Your Visa card ending in 4242 will be charged.').waitFor();
  await shoot('offer');
  await page.getByRole('button', { name: 'Yes, add it to my order' }).click();
  await page.waitForURL('**/thank-you?session=*');
  await page.getByRole('heading', { name: 'Thank you' }).waitFor();
  await page.getByText('1 × Bread course').waitFor();
  await shoot('thank-you');
  const receipt = await page.getByRole('region', { name: 'Receipt' }).innerText();
  for (const part of ['$68.00', 'visitor@example.com']) expect(receipt).toContain(part);
  expect(receipt).toMatch(/ord\w*_\w{10,}/);
  expect(await page.getByRole('region', { name: 'Receipt' }).innerText()).toContain('$19.00');
  expect(await ordersOf()).toEqual(['1900 paid', '4900 paid']);
  expect(await figuresOf()).toEqual({
    landing: [1, 1, 0],
    checkout: [1, 1, 4900],
    upsell: [1, 1, 1900],
    thanks: [1, 0, 0],
  });
  expect(await account.api.ok(`/funnel-sessions/${sessionId}`)).toMatchObject({
    status: 'completed',
    done: true,
    convertedAt: expect.any(String),
  });
  // An earlier page redirects to the current step.
  await page.goBack();
  await page.waitForURL('**/thank-you?session=*');
});

test('a decline is shown next to the form, another card pays, and the offer can be left', {
  timeout: 60_000,
}, async () => {
  await toCheckout();
  await pay('4000 0000 0000 9995');
  await page.getByRole('alert').getByText('The card has not enough funds.').waitFor();
  await shoot('declined');
  await page.getByLabel('Card number').fill('4242 4242 4242 4241');
  await page.getByRole('button', { name: /^Pay now/ }).click();
  await expect.poll(() => page.getByLabel('Card number').getAttribute('aria-invalid')).toBe('true');
  expect(watched.complaints.splice(0)).toEqual([expect.stringContaining('400')]);
  await pay('5555 5555 5555 4444');
  await page.waitForURL('**/offer?session=*');
  await page.getByRole('button', { name: 'No, thank you' }).click();
  await page.waitForURL('**/thank-you?session=*');
  await page.getByText('1 × Bread course').waitFor();
  expect(await page.getByRole('region', { name: 'Receipt' }).innerText()).not.toContain('workbook');
});

test.each([
  { button: 'Complete', lands: '**/offer?session=*', says: 'Yes, add it to my order' },
  { button: 'Fail', lands: '**/checkout?session=*', says: 'The card could not be confirmed.' },
])('a 3DS challenge is shown; "$button" returns the visitor to the step of the session', { timeout: 60_000 }, async ({
  button,
  lands,
  says,
}) => {
  await toCheckout();
  await pay('4000 0000 0000 3220');
  await page.waitForURL('**/test/3ds/*');
  // A visitor who returns without an answer gets a link to continue, and is not redirected back and forth.
  await page.goBack();
  await page.getByRole('link', { name: 'Go to my bank' }).waitFor();
  await shoot('confirm');
  await page.getByRole('link', { name: 'Go to my bank' }).click();
  await page.waitForURL('**/test/3ds/*');
  await page.getByRole('button', { name: button }).click();
  await page.waitForURL(lands);
  await page.getByText(says).first().waitFor();
});

test('a card number is grouped as it is typed, corrected and pasted; at 390 px the fields stand in one line', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await toCheckout();
  const number = page.getByLabel('Card number');
  await number.pressSequentially('424242424242');
  expect(await number.inputValue()).toBe('4242 4242 4242');
  // The cursor stays behind the digit that was typed, and before the one that was deleted.
  await number.evaluate((input) => (input as HTMLInputElement).setSelectionRange(2, 2));
  await page.keyboard.type('9');
  expect(
    await number.evaluate((input) => [(input as HTMLInputElement).value, (input as HTMLInputElement).selectionStart]),
  ).toEqual(['4294 2424 2424 2', 3]);
  await page.keyboard.press('Backspace');
  expect(
    await number.evaluate((input) => [(input as HTMLInputElement).value, (input as HTMLInputElement).selectionStart]),
  ).toEqual(['4242 4242 4242', 2]);
  await number.fill('3782-822463-10005');
  expect([await number.inputValue(), await page.locator('#card-brand').innerText()]).toEqual([
    '3782 822463 10005',
    'Amex',
  ]);
  const [expiry, cvc] = [
    await page.getByLabel('Expiry').boundingBox(),
    await page.getByLabel('Security code').boundingBox(),
  ];
  expect(expiry?.y).toBe(cvc?.y);
  const card = await page.getByRole('main').boundingBox();
  expect([card?.x, (card?.x ?? 0) + (card?.width ?? 0)]).toEqual([16, 374]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await shoot('checkout-phone-dark');
  await page.setViewportSize({ width: 1400, height: 900 });
});

test('every page can be used by keyboard only, and each field has a label', { timeout: 60_000 }, async () => {
  await toCheckout();
  await page.getByLabel('E-mail address').focus();
  for (const text of ['visitor@example.com', '4242424242424242', '1239', '123']) {
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  }
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('pay');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/offer?session=*');
});
