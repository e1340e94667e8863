// guards: src/domains/subscriptions src/domains/instruments src/domains/payments src/domains/card-fields rest/pages/shoppers rest/pages/frame src/theme
// cspell:ignore Teehaus Ihre Karte Kartennummer abgelaufen endet stimmt nicht wurde abgelehnt Vielen bezahlt ungültig Zahlung erfolgreich
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { asksCard, cardholderWorld, expiresCard } from '../domains/subscriptions/cardholder-world.ts';
import { violations } from '../support/axe.ts';
import { closeWindows, openPage, startBrowser, type WatchedPage } from '../support/browser.ts';
import { chargesOf } from '../support/subscriptions.ts';

const world = cardholderWorld();
let browser: Browser;
let watched: WatchedPage;
let page: Page;
beforeAll(async () => {
  browser = await startBrowser();
  await world.platform.services.pool.query('UPDATE partners SET name = $1, branding = $2 WHERE id = $3', [
    'Teehaus',
    { displayName: 'Teehaus', primaryColor: '#0b6b4f' },
    world.partner.id,
  ]);
});
beforeEach(async () => {
  watched = await openPage(browser, world.platform.url);
  page = watched.page;
  await page.setViewportSize({ width: 390, height: 844 });
});
afterEach(async () => {
  await page.close();
  expect(watched.strangeRequests).toEqual([]);
  // A browser reports the answers 4xx that a test asks for.
  expect(watched.complaints.filter((text) => !/status of 4(00|10)/.test(text))).toEqual([]);
});
afterAll(closeWindows);

/** Saves a screenshot in the configured folder, and finds no flaw in the page. */
async function look(name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder) {
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `cardholder-${name}.png`), fullPage: true });
  }
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
}

test('a cardholder with a phone fails to confirm, then confirms at the bank and sees that it is paid', {
  timeout: 60_000,
}, async () => {
  const { id, url } = await world.pastDue(asksCard);
  await page.goto(url);
  await page.getByText('Your bank asks you to confirm this payment').waitFor();
  await look('confirm');
  await page.getByRole('button', { name: 'Confirm and pay $10.00' }).click();
  await page.getByRole('button', { name: 'Fail' }).click();
  await page.getByRole('alert').getByText('The payment could not be authenticated.').waitFor();
  await look('failed');
  await page.getByRole('button', { name: 'Confirm and pay $10.00' }).click();
  await page.getByRole('button', { name: 'Complete' }).waitFor();
  // The link of the mail, opened again meanwhile.
  await page.goto(url);
  await page.getByText('Confirm the payment with your bank').waitFor();
  await look('waits');
  await page.getByRole('link', { name: 'Go to your bank' }).click();
  await page.getByRole('button', { name: 'Complete' }).click();
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor();
  expect(page.url()).toBe(url);
  await look('paid');
  expect((await chargesOf(world.platform, id)).sort()).toEqual(['1000 declined', '1000 declined', '1000 succeeded']);
  expect((await world.read(id)).status).toBe('active');
});

test('an expired card is replaced with the keyboard, in German; a wrong number and a decline are said', {
  timeout: 60_000,
}, async () => {
  const { id, url } = await world.pastDue(expiresCard);
  await page.goto(`${url}?lang=de`);
  await page.getByText('Ihre Karte, die auf 0697 endet, ist abgelaufen.').waitFor();
  await look('expired');
  const pay = async (number: string) => {
    await page.getByLabel('Kartennummer').fill('');
    await page.getByLabel('Kartennummer').focus();
    await page.keyboard.type(number);
    await page.keyboard.press('Tab');
    await page.keyboard.type('12/35');
    await page.keyboard.press('Tab');
    await page.keyboard.type('123');
    await page.keyboard.press('Enter');
  };
  await pay('4242 4242 4242 4241');
  await page.getByRole('alert').getByText('Die Kartennummer ist ungültig.').waitFor();
  await look('wrong');
  await page.reload();
  await pay('4000 0000 0000 0002');
  await page.getByRole('alert').getByText('Die Karte wurde abgelehnt.').waitFor();
  await pay('5555 5555 5555 4444');
  await page.getByRole('heading', { name: 'Zahlung erfolgreich' }).waitFor();
  expect((await world.read(id)).status).toBe('active');
  expect((await chargesOf(world.platform, id)).sort()).toEqual(['1000 declined', '1000 declined', '1000 succeeded']);
});
