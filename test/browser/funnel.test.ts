// guards: src/domains/funnels src/domains/payments src/domains/card-fields src/domains/instruments src/adapters/test-processor rest/pages src/theme
// cspell:ignore Nordwind Adresse Bestellung Bestätigen Geben Gültig Ihre Jetzt Karte Kartennummer Kasse Prüfnummer Vielen Zahlung bestätigen bezahlen gedeckt hinzufügen nicht ausreichend
import { join } from 'node:path';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addFunnel } from '../../prisma/seed/funnel.ts';
import { addPlugin } from '../../prisma/seed/plugin.ts';
import { flawsOnScreens } from '../support/axe.ts';
import { closeWindows, openPage, startBrowser, type WatchedPage } from '../support/browser.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { disableRateLimits } from '../support/rates.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

let browser: Browser;
let platform: TestPlatform;
let account: SeededAccount;
let funnel: { id: string; path: string };
let watched: WatchedPage;
let page: Page;
const brandName = 'Nordwind Pay';

beforeAll(async () => {
  [browser, platform] = await Promise.all([startBrowser(), startTestPlatform()]);
  await disableRateLimits(platform);
  const partner = await seedPartner(platform);
  const data = { branding: { displayName: brandName } };
  await platform.services.prisma.partner.update({ where: { id: partner.id }, data });
  account = await partner.account('Browser Merchant');
  const { id: platformAccountId, storeId } = account;
  const key = {
    tenant: { partnerId: partner.id, mode: 'test', platformAccountId },
    actor: { kind: 'subKey', id: 'ak_seed' },
  } as const;
  const shop = { name: 'demo', key, storeId, currency: 'USD', customers: 0 };
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
  await closeWindows();
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

async function enter(cardNumber: string, of = page): Promise<void> {
  await of.getByLabel('Email address').fill('visitor@example.com');
  await of.getByLabel('Card number').fill(cardNumber);
  await of.getByLabel('Expiry').fill('12 / 39');
  await of.getByLabel('Security code').fill('123');
}

const payButton = (of = page) => of.getByRole('button', { name: /^Pay now/ });

async function pay(cardNumber: string): Promise<void> {
  await enter(cardNumber);
  await payButton().click();
}

/** What a session was charged for, and with which outcome. */
async function chargesOf(sessionId: string): Promise<string[]> {
  const { prisma } = platform.services;
  const orders = await prisma.funnelOrder.findMany({ where: { sessionId }, select: { orderId: true } });
  const payments = await prisma.payment.findMany({ where: { orderId: { in: orders.map(({ orderId }) => orderId) } } });
  return payments.map(({ amount, status }) => `${amount} ${status}`);
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
  await page.setViewportSize({ width: 390, height: 420 });
  await toCheckout();
  await pay('4000 0000 0000 9995');
  const reason = page.getByRole('alert').getByText('The card has insufficient funds.');
  await reason.waitFor();
  // The keyboard goes on where it was, and the reason is in view above the fields.
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('pay');
  expect(await reason.evaluate((element) => element.getBoundingClientRect().top)).toBeGreaterThanOrEqual(0);
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
  { button: 'Fail', lands: '**/checkout?session=*', says: 'The payment could not be authenticated.' },
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
  await page.getByLabel('Email address').focus();
  for (const text of ['visitor@example.com', '4242424242424242', '1239', '123']) {
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  }
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('pay');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/offer?session=*');
});

describe('what a browser does at the wrong moment is one charge, and leads on', () => {
  test('a form that is sent twice at once', { timeout: 60_000 }, async () => {
    const sessionId = await toCheckout();
    await enter('4242 4242 4242 4242');
    // Past the button, which is disabled after the first click.
    await page.locator('#payment').evaluate((form) => {
      (form as HTMLFormElement).requestSubmit();
      (form as HTMLFormElement).requestSubmit();
    });
    // Each of the two answers leads there, and the second ends the way of the first.
    await page.getByRole('button', { name: 'Yes, add it to my order' }).waitFor();
    expect(await chargesOf(sessionId)).toEqual(['4900 succeeded']);
    expect(watched.complaints.splice(0).filter((text) => !text.includes('409'))).toEqual([]);
  });

  test('two tabs that pay at once with two cards', { timeout: 60_000 }, async () => {
    const sessionId = await toCheckout();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await enter('4242 4242 4242 4242');
    await enter('5555 5555 5555 4444', other);
    await Promise.all([payButton().click(), payButton(other).click()]);
    await Promise.all([page.waitForURL('**/offer?session=*'), other.waitForURL('**/offer?session=*')]);
    expect(await chargesOf(sessionId)).toEqual(['4900 succeeded']);
    await other.close();
    expect(watched.complaints.splice(0).filter((text) => !text.includes('409'))).toEqual([]);
  });

  test('an answer that is lost, and paying again', { timeout: 60_000 }, async () => {
    const sessionId = await toCheckout();
    const lose = async (route: Route) => {
      await route.fetch();
      await route.abort();
    };
    await page.route('**/pay?*', lose, { times: 1 });
    await pay('4242 4242 4242 4242');
    await page.getByRole('alert').getByText('you are charged once at most').waitFor();
    await payButton().click();
    await page.waitForURL('**/offer?session=*');
    expect(await chargesOf(sessionId)).toEqual(['4900 succeeded']);
    expect(watched.complaints.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')]);
  });

  test('a reload in the middle of 3DS, a second tab there, and the back button after it', {
    timeout: 60_000,
  }, async () => {
    const sessionId = await toCheckout();
    const checkout = page.url();
    await pay('4000 0000 0000 3220');
    await page.waitForURL('**/test/3ds/*');
    const challenge = page.url();
    await page.reload();
    const other = await page.context().newPage();
    await other.goto(checkout);
    await other.getByRole('link', { name: 'Go to my bank' }).waitFor();
    await page.getByRole('button', { name: 'Complete' }).click();
    await page.waitForURL('**/offer?session=*');
    await other.getByRole('link', { name: 'Go to my bank' }).click();
    await other.waitForURL('**/offer?session=*');
    await other.goto(challenge);
    await other.getByText('Authentication succeeded.').waitFor();
    await other.goto(checkout);
    await other.waitForURL('**/offer?session=*');
    await other.close();
    await page.goBack();
    await page.goto(checkout);
    await page.waitForURL('**/offer?session=*');
    expect(await chargesOf(sessionId)).toEqual(['4900 succeeded']);
  });

  test('the link of a session that is over says so in the name of the partner, and begins another', {
    timeout: 120_000,
  }, async () => {
    const sessionId = await toCheckout();
    await pay('4242 4242 4242 4242');
    await page.waitForURL('**/offer?session=*');
    await page.getByRole('button', { name: 'Yes, add it to my order' }).waitFor();
    const link = page.url();
    const past = new Date(platform.services.clock.now().getTime() - 1);
    await platform.services.prisma.funnelSession.update({ where: { id: sessionId }, data: { expiresAt: past } });
    await page.goto(link);
    await page.getByRole('heading', { name: 'This checkout has expired' }).waitFor();
    await page.getByText('Existing orders stay valid').waitFor();
    expect(await page.getByRole('banner').innerText()).toContain(brandName);
    expect(watched.complaints.splice(0).filter((text) => !text.includes('410'))).toEqual([]);
    expect(await flawsOnScreens(page, 'checkout-over')).toEqual([]);
    watched.complaints.splice(0);
    await page.getByRole('link', { name: 'Start again' }).click();
    await page.waitForURL('**/landing?session=*');
    await page.goto(`${platform.url}/checkout/sessions/${'A'.repeat(43)}/page`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(watched.complaints.splice(0)).toEqual([expect.stringContaining('404')]);
  });
});

test('long names of goods wrap on a phone, and amounts do not', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  const { config } = (await account.api.ok(`/funnels/${funnel.id}`)).nodes[1];
  const items = [{ name: 'Unbreakable'.repeat(12), quantity: 12, unitAmount: 833_333_333 }];
  const { id } = await account.api.ok('/funnels', {
    name: 'Long names',
    nodes: [{ id: 'pay', type: 'checkout', isEntry: true, config: { ...config, items } }],
    edges: [],
  });
  await page.goto(`${platform.url}/checkout/funnels/${id}`);
  await page.getByText('$99,999,999.96').first().waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  const lines = await page.locator('#total').evaluate((element) => element.getClientRects().length);
  expect(lines).toBe(1);
});

test('a visitor who speaks German walks through in German; axe finds nothing light at 1280 and dark at 390, and nothing wraps or moves sideways', {
  timeout: 180_000,
}, async () => {
  await page.goto(`${platform.url}${funnel.path}?lang=de`);
  await page.getByRole('button', { name: 'Zur Kasse' }).waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('de');
  expect(await flawsOnScreens(page, 'de-landing')).toEqual([]);
  await page.getByRole('button', { name: 'Zur Kasse' }).click();
  await page.getByText('49,00 $').first().waitFor();
  const send = page.getByRole('button', { name: 'Jetzt bezahlen · 49,00 $' });
  await send.click();
  await page.getByText('Geben Sie Ihre E-Mail-Adresse ein.').waitFor();
  expect(await flawsOnScreens(page, 'de-checkout-wrong')).toEqual([]);
  const enterGerman = async (cardNumber: string) => {
    await page.getByLabel('E-Mail-Adresse').fill('besuch@example.com');
    await page.getByLabel('Kartennummer').fill(cardNumber);
    await page.getByLabel('Gültig bis').fill('12 / 39');
    await page.getByLabel('Prüfnummer').fill('123');
    await send.click();
  };
  await enterGerman('4000 0000 0000 9995');
  await page.getByRole('alert').getByText('Die Karte ist nicht ausreichend gedeckt.').waitFor();
  expect(await flawsOnScreens(page, 'de-declined')).toEqual([]);
  const [expiry, cvc] = [
    await page.getByLabel('Gültig bis').boundingBox(),
    await page.getByLabel('Prüfnummer').boundingBox(),
  ];
  expect(expiry?.y).toBe(cvc?.y);
  await enterGerman('4000 0000 0000 3220');
  await page.getByRole('heading', { name: 'Zahlung bestätigen' }).waitFor();
  await page.getByRole('button', { name: 'Bestätigen' }).click();
  await page.getByRole('button', { name: 'Ja, zur Bestellung hinzufügen' }).waitFor();
  expect(await flawsOnScreens(page, 'de-offer')).toEqual([]);
  await page.getByRole('button', { name: 'Ja, zur Bestellung hinzufügen' }).click();
  // The card is challenged for the second order too.
  await page.getByRole('button', { name: 'Bestätigen' }).click();
  await page.getByRole('heading', { name: 'Vielen Dank' }).waitFor();
  await page.getByText('68,00 $').waitFor();
  expect(await flawsOnScreens(page, 'de-thank-you')).toEqual([]);
  // axe tries styles of its own.
  expect(watched.complaints.splice(0).filter((text) => !text.startsWith('Applying inline style'))).toEqual([]);
});
