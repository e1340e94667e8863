// guards: rest/pages rest/site src/theme
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { writeDemo } from '../../src/settings/demo-credentials.ts';
import { signedIn } from '../iam/people.ts';
import { closeWindows, openPage, startBrowser, type WatchedPage } from '../support/browser.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

const platformDir = mkdtempSync(join(tmpdir(), 'platform-browser-'));
let browser: Browser;
let platform: TestPlatform;
let account: SeededAccount;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  [browser, platform] = await Promise.all([startBrowser(), startTestPlatform({ env: { PLATFORM_DIR: platformDir } })]);
  const partner = await seedPartner(platform);
  account = await partner.account('Browser Merchant');
  const { id, storeId, subKey } = account;
  const test = { id, storeId, subKey, paymentInstrumentId: (await account.instrument()).id };
  const { id: partnerId, slug, partnerKey } = partner;
  writeDemo(
    { platformDir },
    {
      baseUrl: platform.url,
      partner: { id: partnerId, slug },
      partners: [],
      partnerKeys: { test: partnerKey, live: '' },
      accounts: { test, live: test },
      organizations: [],
      users: [],
    },
  );
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
  rmSync(platformDir, { recursive: true, force: true });
});

test('the API reference loads without a network, and "try it" makes a real call and shows its answer', async () => {
  await page.goto(`${platform.url}/api/public/v1/docs`);
  await page.getByRole('link', { name: 'Auth test' }).first().click();
  await page.getByRole('button', { name: /Test Request.*get \/auth\/test/ }).click();
  const answered = page.waitForResponse(`${platform.url}/api/public/v1/auth/test`);
  await page.getByRole('button', { name: /^Send/ }).first().click();
  const { keyPrefix } = await (await answered).json();
  await page.getByText('200 OK').waitFor();
  await page.getByText(`"${keyPrefix}"`).waitFor();
});

test('the examples of the API reference use ids of the demo, so that a charge works without changes', async () => {
  const text = await (await fetch(`${platform.url}/api/public/v1/openapi.json`)).json();
  const charge = text.paths['/payments/process'].post.requestBody.content['application/json'].example;
  expect((await account.api.ok('/payments/process', charge)).payment).toMatchObject({
    status: 'succeeded',
    storeId: account.storeId,
  });
});

test('the reference for people tries a call as the person who is signed in', async () => {
  const person = await signedIn(platform, { platformRoles: ['hubadmin'] });
  const cookies = person.cookie.split('; ').map((cookie) => cookie.split('='));
  await page
    .context()
    .addCookies(cookies.map(([name = '', value = '']) => ({ name, value, url: platform.url, httpOnly: true })));
  await page.goto(`${platform.url}/`);
  await page.getByRole('link', { name: 'API reference for people' }).click();
  await page.getByRole('link', { name: 'Archive partner' }).first().click();
  await page.getByRole('button', { name: /Test Request.*post \/partners-admin\/archive/ }).click();
  const answered = page.waitForResponse(`${platform.url}/api/v1/iam/partners-admin/archive`);
  await page.getByRole('button', { name: /^Send/ }).first().click();
  expect(await (await answered).json()).toMatchObject({ code: 'FORBIDDEN' });
  expect(watched.complaints.splice(0)).toEqual([expect.stringContaining('403')]);
});

async function challengedPayment(): Promise<{ id: string; url: string }> {
  // The merchant's return page; any page of this server serves for it.
  const { payment } = await account.charge('4000000000003220', {
    returnUrl: `${platform.url}/health/live?order=7`,
    amount: 12_345,
  });
  const { url } = payment['requireActionData'] as { url: string };
  return { id: payment['id'] as string, url };
}

test.for([
  { button: 'Complete', answer: 'succeeded', status: 'succeeded', failureCode: null },
  { button: 'Fail', answer: 'failed', status: 'declined', failureCode: 'authentication_failed' },
])('"$button" on the 3DS page returns to the shop, and the payment becomes $status', async ({
  button,
  answer,
  status,
  failureCode,
}) => {
  const { id, url } = await challengedPayment();
  await page.goto(url);
  expect(await page.getByRole('main').innerText()).toContain('$123.45 with the card ending in 3220');
  await page.getByRole('button', { name: button }).click();
  await page.waitForURL(`${platform.url}/health/live?order=7&paymentId=${id}`);
  expect((await account.api.ok('/payments/continue', { paymentId: id })).payment).toMatchObject({
    status,
    failureCode,
  });
  await page.goto(url);
  expect(await page.getByRole('main').innerText()).toContain(`Authentication ${answer}`);
});

test('the 3DS page shows a message when there is no return URL', async () => {
  const { payment } = await account.charge('4000002760003184');
  await page.goto((payment['requireActionData'] as { url: string }).url);
  await page.getByRole('button', { name: 'Complete' }).click();
  await page.getByText('Thank you').waitFor();
});
