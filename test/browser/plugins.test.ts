// guards: src/domains/plugins src/domains/funnels rest/plugins rest/pages src/theme
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { addPlugin } from '../../prisma/seed/plugin.ts';
import type { DemoPlugin } from '../../src/settings/demo-credentials.ts';
import { asset, type Plugins, plugin, pluginsOf } from '../domains/plugins/sample.ts';
import { closeWindows, openPage, startBrowser, type WatchedPage } from '../support/browser.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

let browser: Browser;
let platform: TestPlatform;
let account: SeededAccount;
let plugins: Plugins;
let sample: DemoPlugin;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  [browser, platform] = await Promise.all([startBrowser(), startTestPlatform()]);
  const partner = await seedPartner(platform);
  account = await partner.account('Browser Merchant');
  plugins = pluginsOf(account.api);
  const { id: platformAccountId, storeId } = account;
  const key = {
    tenant: { partnerId: partner.id, mode: 'test', platformAccountId },
    actor: { kind: 'subKey', id: 'ak_seed' },
  } as const;
  sample = await addPlugin(platform.services, { name: 'demo', key, storeId, currency: 'USD', customers: 0 });
});
beforeEach(async () => {
  watched = await openPage(browser, platform.url);
  page = watched.page;
});
afterEach(async () => {
  await page.close();
  expect(watched.strangeRequests).toEqual([]);
});
afterAll(async () => {
  await closeWindows();
  await platform?.close();
});

const styleOf = (selector: string, property: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);

test('the sample checkout shows its configuration; one call changes it, and a reload shows it', async () => {
  await page.goto(platform.url + sample.path);
  await page.getByRole('heading', { name: 'Almost yours' }).waitFor();
  expect(await page.getByText('Corner Shop').first().isVisible()).toBe(true);
  expect([
    await styleOf('#pay', 'background-color'),
    await page.title(),
    await page.locator('#notice').innerText(),
  ]).toEqual(['rgb(26, 86, 219)', 'Checkout · Corner Shop', expect.stringContaining('without a checkout session')]);
  await plugins.ok('/instance/config', {
    deploymentInstanceId: sample.deploymentInstanceId,
    storeId: account.storeId,
    config: {
      brand: '</script><b>Night & Day</b>',
      headline: 'Nearly there',
      payLabel: 'Buy it',
      accentColor: '#f5b301',
      theme: 'dark',
    },
  });
  await page.reload();
  await page.getByRole('heading', { name: 'Nearly there' }).waitFor();
  expect([
    await styleOf('#pay', 'background-color'),
    await styleOf('#pay', 'color'),
    await styleOf('body', 'background-color'),
  ]).toEqual(['rgb(245, 179, 1)', 'rgb(0, 0, 0)', 'rgb(20, 23, 26)']);
  // It is rendered as text everywhere, never as HTML.
  expect(await page.locator('#brand').innerText()).toBe('</script><b>Night & Day</b>');
  expect(await page.getByRole('button', { name: 'Buy it · $49.00' }).isVisible()).toBe(true);
  expect(watched.complaints).toEqual([]);
});

test('every form field has a label and can be autofilled, and every page of the sample renders', async () => {
  await page.goto(`${platform.url}${sample.path}checkout`);
  for (const [label, autocomplete] of [
    ['Email address', 'email'],
    ['Card number', 'cc-number'],
    ['Expiry', 'cc-exp'],
    ['Security code', 'cc-csc'],
  ] as const) {
    expect(await page.getByLabel(label).getAttribute('autocomplete')).toBe(autocomplete);
  }
  for (const [path, name] of [
    ['landing', 'Continue to checkout'],
    ['offer', 'Yes, add it to my order'],
  ] as const) {
    await page.goto(platform.url + sample.path + path);
    await page.getByRole('button', { name }).waitFor();
  }
  await page.goto(`${platform.url}${sample.path}thank-you`);
  await page.getByRole('heading', { name: 'Thank you' }).waitFor();
  expect(watched.complaints).toEqual([]);
});

test("a plugin's script cannot act as the operator who opens its page", async () => {
  const script = `
    const tries = {
      origin: () => self.origin,
      cookie: () => document.cookie,
      storage: () => String(localStorage.length),
      token: async () => (await fetch('/idp/token', { credentials: 'include' })).text(),
      graph: async () => {
        const headers = { 'Content-Type': 'application/json' };
        const body = '{"query":"{ me { id } }"}';
        return (await fetch('/graphql', { method: 'POST', credentials: 'include', headers, body })).text();
      },
      window: () => open('/idp/sign-in').document.title,
      elsewhere: async () => (await fetch('https://example.com/')).text(),
      inline: () => {
        const made = document.createElement('script');
        made.textContent = 'window.ran = true';
        document.head.append(made);
        return String(window.ran ?? 'did not run');
      },
    };
    (async () => {
      const results = {};
      for (const [name, attempt] of Object.entries(tries))
        results[name] = await Promise.resolve().then(attempt).then((text) => 'got ' + text, () => 'refused');
      document.getElementById('out').textContent = JSON.stringify(results);
    })();`;
  const { body } = await plugins.call(
    '/deploy',
    plugin({
      manifest: { pluginId: 'hostile' },
      inlineAssets: [
        asset(
          'index.html',
          '<!doctype html><html><head><script src="app.js" defer></script></head><body><p id="out"></p></body></html>',
        ),
        asset('app.js', script),
      ],
    }),
  );
  const operator = { email: 'operator@example.com', password: 'correct horse battery' };
  await platform.idp.createUser({ ...operator, platformRoles: ['superadmin'] });
  await platform.idp.flush();
  await page.goto(`${platform.url}/idp/sign-in`);
  await page.evaluate(
    async (sent) =>
      fetch('/idp/sign-in/email', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: sent }),
    JSON.stringify(operator),
  );
  expect(await page.evaluate(async () => (await fetch('/idp/token')).status)).toBe(200);
  await page.goto(body.url);
  await expect.poll(() => page.locator('#out').innerText()).not.toBe('');
  expect(JSON.parse(await page.locator('#out').innerText())).toEqual({
    origin: 'got null',
    cookie: 'refused',
    storage: 'refused',
    token: 'refused',
    graph: 'refused',
    window: 'refused',
    elsewhere: 'refused',
    inline: 'got did not run',
  });
});
