// guards: rest/vendor rest/site rest/pages/developers src/graph
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { writeDemo } from '../../src/settings/demo-credentials.ts';
import { closeWindows, openPage, startBrowser, type WatchedPage } from '../support/browser.ts';
import { openGraphiql, openTab, run, tabsOf, write } from '../support/graphiql.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

const platformDir = mkdtempSync(join(tmpdir(), 'platform-graphiql-'));
const password = 'correct horse battery';
const keyTabs = ['NewestPayments', 'Charge', 'NewCard', 'Account', 'Me'];
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
  const merchant = { id, storeId, subKey, paymentInstrumentId: (await account.instrument()).id };
  writeDemo(
    { platformDir },
    {
      baseUrl: platform.url,
      partner: { id: partner.id, slug: partner.slug },
      partners: [],
      partnerKeys: { test: partner.partnerKey, live: null },
      accounts: { test: merchant, live: null },
      organizations: [],
      users: [],
    },
  );
  for (const [name, role, whitelabelOwnership] of [
    ['hub', 'hubadmin', null],
    ['reader', 'accountmanager', null],
    ['admin', 'partneradmin', partner.slug],
    ['staff', 'partnerstaff', partner.slug],
  ] as const)
    await platform.idp.createUser({
      email: `${name}@example.com`,
      password,
      platformRoles: [role],
      whitelabelOwnership,
    });
  await platform.idp.flush();
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

async function signIn(email: string): Promise<void> {
  await page.request.post(`${platform.url}/idp/sign-in/email`, { data: { email, password } });
}

const asks = (): Promise<string> => page.locator('#asks').innerText();

test('the tabs of a key run as they stand, each after one click, and a new tab sends no key', async () => {
  await openGraphiql(page, platform.url);
  expect(await tabsOf(page)).toEqual(keyTabs);
  expect(await asks()).toBe("This tab sends the demo's sub-key, test mode.");
  await openTab(page, 'Charge');
  expect((await run(page, 'Charge')).data['processPayment'].status).toBe('succeeded');
  await openTab(page, 'NewCard');
  expect((await run(page, 'NewCard')).shown).toContain('graphiql@example.com');
  await openTab(page, 'Account');
  expect((await run(page, 'Account')).shown).toContain('Browser Merchant');
  await openTab(page, 'NewestPayments');
  expect((await run(page, 'NewestPayments')).data['payments'].total).toBe(1);
  await openTab(page, 'Me');
  expect((await run(page, 'Me')).data['me'].kind).toBe('subKey');
  await page.getByRole('button', { name: 'New tab' }).click();
  await write(page, 'query Mine { me { kind } }');
  await expect.poll(asks).toBe('This tab sends no API key.');
  // GraphiQL stores its tabs after a pause.
  await page.waitForFunction(() =>
    Object.entries(localStorage).some(([name, value]) => name.endsWith('tabState') && value.includes('query Mine')),
  );
  await page.reload();
  await openTab(page, 'Charge');
  expect(await tabsOf(page)).toHaveLength(keyTabs.length + 1);
});

test.for([
  [
    'hub@example.com',
    ['NewestPayments', 'FindPayment', 'OnePayment', 'Today', 'KybQueue', 'Refund', 'Keys', 'People', 'Me'],
  ],
  ['reader@example.com', ['NewestPayments', 'FindPayment', 'OnePayment', 'Today', 'KybQueue', 'Keys', 'People', 'Me']],
  ['admin@example.com', ['NewestPayments', 'FindPayment', 'OnePayment', 'Today', 'KybQueue', 'Keys', 'People', 'Me']],
  ['staff@example.com', ['Me']],
] as const)('%s has the tabs of their role, which run as the person and without a key', async ([email, tabs]) => {
  await openGraphiql(page, platform.url);
  await signIn(email);
  await openGraphiql(page, platform.url);
  expect(await tabsOf(page)).toEqual(tabs);
  expect(await page.locator('.bar').innerText()).toContain(`Signed in as ${email}, `);
  expect(await asks()).toBe('This tab sends requests as you. The operation names the mode.');
  for (const name of tabs) {
    await openTab(page, name);
    const { data } = await run(page, name);
    if (name === 'Me') expect(data['me']).toMatchObject({ email });
    if (name === 'OnePayment') expect(data['payment'].status).toMatch(/succeeded|refunded/);
    if (name === 'Refund') expect(data['refundPayment'].refund.amount).toBe(1);
    if (name === 'Today') expect(data['all'].total).toBeGreaterThan(0);
  }
});

test('who signs out in GraphiQL sees the tabs of a key again, and nothing of what the person wrote', async () => {
  await signIn('hub@example.com');
  await openGraphiql(page, platform.url);
  await write(page, 'query OfTheOperator { me { kind } }');
  await page.getByRole('tab').getByRole('button', { name: 'OfTheOperator' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('Not signed in.').waitFor();
  await page.locator('.graphiql-query-editor .CodeMirror-line').first().waitFor();
  expect(await tabsOf(page)).toEqual(keyTabs);
  expect(await page.locator('.bar').getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe(
    'idp/sign-in?redirect=/graphql',
  );
});

test('a stored key of an earlier database is removed and reported, and the schema is there', async () => {
  const stale = `${account.subKey.slice(0, -6)}aaaaaa`;
  const headers = JSON.stringify({ Authorization: `Bearer ${stale}`, 'Idempotency-Key': 'kept' });
  await openGraphiql(page, platform.url);
  await page.evaluate(
    ([given = '']) => {
      const name = Object.keys(localStorage).find((key) => key.endsWith('graphiql:tabState')) ?? '';
      const state = JSON.parse(localStorage.getItem(name) ?? '');
      const tab = (query: string) => ({ ...state.tabs[0], id: query, query, headers: given });
      localStorage.setItem(
        name,
        JSON.stringify({ activeTabIndex: 1, tabs: [state.tabs[0], tab('query Own { __typename }')] }),
      );
      localStorage.setItem(name.replace('tabState', 'headers'), given);
    },
    [headers],
  );
  await page.reload();
  await page.getByText('is not valid here').waitFor();
  // The browser itself logs the 401 to its console.
  expect(watched.complaints.splice(0)).toHaveLength(1);
  await openTab(page, 'Own');
  expect((await run(page, 'Own')).data).toEqual({ __typename: 'Query' });
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.getByRole('link', { name: 'Query', exact: true }).waitFor();
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(stale);
});

test('a first visit loads at most 1 MB, and the next one the page alone', async () => {
  // A page whose requests are watched has no cache.
  page = await browser.newPage();
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  let bytes = 0;
  network.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await openGraphiql(page, platform.url);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(1_000_000);
  bytes = 0;
  await openGraphiql(page, platform.url);
  expect(bytes).toBeLessThan(20_000);
});
