// guards: src/domains/processors src/adapters/stripe rest/pages src/theme
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { initiatePath, stripeProcessor } from '../domains/processors/connect/walk.ts';
import { closeWindows, openPage, startBrowser } from '../support/browser.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

let browser: Browser;
let platform: TestPlatform;
let account: SeededAccount;

beforeAll(async () => {
  [browser, platform] = await Promise.all([startBrowser(), startTestPlatform()]);
  account = await (await seedPartner(platform)).account();
});
afterAll(async () => {
  await closeWindows();
  await platform?.close();
});

test.for([
  { buttons: ['Approve', 'Approve'], end: 'status=success', connected: true },
  { buttons: ['Approve', 'Deny'], end: 'status=error', connected: false },
  { buttons: ['Deny'], end: 'status=error', connected: false },
])('$buttons on the page of test mode, then on that of consent, lead back to the shop with $end', async ({
  buttons: [first = '', second],
  end,
  connected,
}) => {
  const { page, strangeRequests, complaints } = await openPage(browser, platform.url);
  const processorId = await stripeProcessor(account.api);
  // The shop's return page; any page of this server serves for it.
  const { url } = await account.api.ok(initiatePath, { processorId, returnUrl: `${platform.url}/health/live?order=7` });
  await page.goto(url);
  expect(await page.getByRole('main').innerText()).toContain('Connect a test account');
  await page.getByRole('button', { name: first }).click();
  if (second !== undefined) {
    await page.getByRole('heading', { name: 'Connect your account at the card processor' }).waitFor();
    await page.getByRole('button', { name: second }).click();
  }
  await page.waitForURL(`${platform.url}/health/live?order=7&${end}**`);
  const { items } = await account.api.ok('/processors/list', {});
  expect(items.find(({ id }: { id: string }) => id === processorId)).toMatchObject({ connected });
  expect([strangeRequests, complaints]).toEqual([[], []]);
  await page.close();
});
