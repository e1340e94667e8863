// guards: rest/pages rest/site src/theme
// cspell:ignore Zahlungen Hauptstraße Nordwind
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { initiatePath, stripeProcessor } from '../domains/processors/connect/walk.ts';
import { makePerson, password, type SignedIn, signedIn } from '../iam/people.ts';
import { everyScreen, flawsOnScreens } from '../support/axe.ts';
import { closeWindows, openPage, startBrowser, type WatchedPage } from '../support/browser.ts';
import { dataUrlOf, pngOf } from '../support/images.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

let browser: Browser;
let platform: TestPlatform;
let superadmin: SignedIn;
let watched: WatchedPage;
let page: Page;
const tickets = new Map<string, string>();
const letters = new Map<string, string>();

beforeAll(async () => {
  [browser, platform] = await Promise.all([
    startBrowser(),
    startTestPlatform({ identityProvider: 'embedded', env: { SANDBOX: 'false' } }),
  ]);
  platform.services.mailer = {
    kind: 'kept',
    send: async ({ to, text, html }) => {
      tickets.set(to, /ticket=([\w-]+)/.exec(text)?.[1] ?? '');
      letters.set(to, html);
    },
  };
  superadmin = await signedIn(platform, { platformRoles: ['superadmin'] });
  watched = await openPage(browser, platform.url);
  page = watched.page;
});
afterAll(async () => {
  await closeWindows();
  await platform?.close();
});

async function open(name: string, path: string): Promise<string[]> {
  await page.goto(path.startsWith('http') ? path : platform.url + path);
  return flawsOnScreens(page, name);
}

test('the pages of people: axe finds nothing light at 1280 and dark at 390 pixels, and none moves sideways', {
  timeout: 120_000,
}, async () => {
  await superadmin.iam('/partners-admin/create', {
    name: 'Acme',
    slug: 'acme',
    branding: { displayName: 'Acme <Pay>', primaryColor: '#f5d000', logoImage: dataUrlOf(pngOf(64, 64)) },
    adminEmails: ['new@acme.example'],
  });
  const admin = await signedIn(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: 'acme' });
  const known = await makePerson(platform, { email: 'known@acme.example' });
  await admin.iam('/partners/acme/staff/invite', { email: known.email, roles: ['accountmanager'] });

  expect(await open('home', '/')).toEqual([]);
  expect(await open('error', '/nothing/here')).toEqual([]);
  expect(await open('sign-in', '/idp/sign-in')).toEqual([]);
  expect(await flawsOnScreens(page, 'sign-in-each-screen', everyScreen)).toEqual([]);
  await page.getByLabel('Email').fill(superadmin.email);
  await page.getByLabel('Password').fill('wrong wrong wrong');
  await page.getByRole('button', { name: 'Show password' }).click();
  expect(await page.getByLabel('Password').getAttribute('type')).toBe('text');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Email or password is wrong.').waitFor();
  expect(await flawsOnScreens(page, 'sign-in-wrong')).toEqual([]);
  expect(await open('forgot-password', '/idp/forgot-password')).toEqual([]);
  expect(await open('reset-gone', '/idp/reset-password?token=used')).toEqual([]);
  expect(await open('code', '/idp/sign-in-code')).toEqual([]);

  expect(await open('accept', `/idp/accept?ticket=${tickets.get('new@acme.example')}`)).toEqual([]);
  const facts = await page.locator('dl').innerText();
  for (const fact of ['new@acme.example', 'Acme <Pay>', 'Administrator']) expect(facts).toContain(fact);
  // The text of the button is dark on the partner's bright yellow.
  const submit = page.getByRole('button', { name: 'Accept' });
  expect(
    await submit.evaluate((button) => [getComputedStyle(button).backgroundColor, getComputedStyle(button).color]),
  ).toEqual(['rgb(245, 208, 0)', 'rgb(0, 0, 0)']);

  const accept = `/idp/accept?ticket=${tickets.get(known.email)}`;
  expect(await open('accept-known', accept)).toEqual([]);
  expect(await page.locator('dl').innerText()).toContain(admin.email);
  expect(await page.getByRole('button', { name: 'Accept' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Sign in to accept' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await page.getByRole('banner').innerText()).toBe('Acme <Pay>');
  await page.getByLabel('Email').fill(known.email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Accept' }).waitFor();
  expect(await flawsOnScreens(page, 'accept-signed-in')).toEqual([]);
  expect(await open('join', '/join')).toEqual([]);
  expect(await open('accept-other', `/idp/accept?ticket=${tickets.get('new@acme.example')}`)).toEqual([]);
  expect(await open('account', '/idp/account')).toEqual([]);
  expect(await open('signed-in', '/idp/sign-in')).toEqual([]);
  expect(watched.strangeRequests).toEqual([]);
});

/** Shows a mail as a reader of mail does that loads its images. */
async function openLetter(to: string): Promise<string[]> {
  await page.goto(`${platform.url}/health/live`);
  await page.setContent(letters.get(to) ?? '');
  await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())));
  return flawsOnScreens(page, `mail-${to}`);
}

test('mail: axe finds nothing light at 1280 and dark at 390, in English and German, with a logo and without', {
  timeout: 120_000,
}, async () => {
  const wide = { displayName: 'Borealis Zahlungen', primaryColor: '#7c2d92', logoImage: dataUrlOf(pngOf(240, 60)) };
  await superadmin.iam('/partners-admin/create', {
    name: 'Borealis',
    slug: 'borealis',
    branding: { ...wide, language: 'de', emailFooter: 'Borealis GmbH, Hauptstraße 1, Wien' },
    adminEmails: ['neu@borealis.example'],
  });
  const bright = { primaryColor: '#f5d000', logoImage: dataUrlOf(pngOf(64, 64)) };
  for (const [slug, branding] of [
    ['plain', {}],
    ['bright', bright],
  ] as const)
    await superadmin.iam('/partners-admin/create', {
      name: 'Plain Partner',
      slug,
      branding,
      adminEmails: [`new@${slug}.example`],
    });
  expect(await openLetter('neu@borealis.example')).toEqual([]);
  expect(await openLetter('new@plain.example')).toEqual([]);
  expect(await openLetter('new@bright.example')).toEqual([]);
  expect(await open('accept-german', `/idp/accept?ticket=${tickets.get('neu@borealis.example')}&lang=de`)).toEqual([]);
  await page.context().clearCookies({ name: 'lang' });
  expect(watched.strangeRequests).toEqual([]);
});

test('the pages of merchants and cardholders: axe finds nothing light at 1280 and dark at 390, and none moves sideways', {
  timeout: 120_000,
}, async () => {
  const partner = await seedPartner(platform);
  const branding = { displayName: 'Nordwind Pay', primaryColor: '#0f766e', logoImage: dataUrlOf(pngOf(64, 64)) };
  const { slug } = await platform.services.prisma.partner.findUniqueOrThrow({ where: { id: partner.id } });
  await superadmin.iam('/partners-admin/update', { slug, branding });
  const account = await partner.account('Browser Merchant');
  const processorId = await stripeProcessor(account.api);
  const { url } = await account.api.ok(initiatePath, { processorId, returnUrl: `${platform.url}/health/live` });
  expect(await open('connect-test', url)).toEqual([]);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('heading', { name: 'Connect your account' }).waitFor();
  expect(await flawsOnScreens(page, 'connect')).toEqual([]);
  const { payment } = await account.charge('4000000000003220', { amount: 12_345 });
  const challenge = (payment['requireActionData'] as { url: string }).url;
  expect(await open('challenge', challenge)).toEqual([]);
  expect(await open('challenge-german', `${challenge}?lang=de`)).toEqual([]);
  expect(await page.getByRole('main').innerText()).toContain('123,45');
  await page.context().clearCookies({ name: 'lang' });

  // What a shopper sees of a checkout that cannot be opened.
  const { storeId } = account;
  const funnel = await account.api.ok('/funnels', {
    name: 'No pages',
    nodes: [{ id: 'pay', type: 'checkout', isEntry: true, config: { currency: 'USD' } }],
    edges: [],
  });
  const session = await account.api.ok('/funnel-sessions', { funnelId: funnel.id });
  for (const [name, path] of [
    ['funnel-without-pages', `/checkout/funnels/${funnel.id}`],
    ['return-in-another-browser', `/checkout/return/${session.id}`],
    ['plugin-missing', `/p/${storeId}/nothing/`],
  ] as const)
    for (const language of ['en', 'de']) {
      expect(await open(`${name}-${language}`, `${path}?lang=${language}`)).toEqual([]);
      expect(await page.getByRole('banner').innerText()).toBe('Nordwind Pay');
    }
  expect(watched.strangeRequests).toEqual([]);
});

test('the documentation: axe finds nothing light at 1280 and dark at 390, links work without a mouse, code can be copied', {
  timeout: 120_000,
}, async () => {
  const earlier = watched.complaints.length;
  for (const [name, path] of [
    ['docs-index', '/docs/'],
    ['docs-guide', '/docs/guides/payments'],
    ['docs-table', '/docs/configuration'],
  ] as const)
    expect(await open(name, path)).toEqual([]);
  expect(await flawsOnScreens(page, 'docs-table-each-screen', everyScreen)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('link', { name: 'All pages' }).click();
  await page.getByRole('navigation', { name: 'All pages' }).getByRole('link', { name: 'Subscriptions' }).click();
  await page.waitForURL(`${platform.url}/docs/guides/subscriptions`);
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the text');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('. docs/setup.sh');
  expect([watched.strangeRequests, watched.complaints.slice(earlier)]).toEqual([[], []]);
});

// What the components themselves cause: the tabs of GraphiQL hold buttons, both scroll parts whose content takes the
// focus elsewhere, and the reference hides the text of a link on a phone.
test.each([
  ['GraphiQL', '/graphql', '.graphiql-query-editor .CodeMirror-line', ['nested-interactive']],
  ['the API reference', '/api/public/v1/docs', 'h1', ['link-name']],
])(
  '%s: axe finds nothing but what its component causes, light at 1280 and dark at 390 pixels',
  {
    timeout: 180_000,
  },
  async (name, path, ready, caused) => {
    await page.goto(platform.url + path);
    await page.locator(ready).first().waitFor();
    const known = [...caused, 'scrollable-region-focusable'];
    const found = await flawsOnScreens(page, name);
    expect(found.filter((flaw) => !known.some((id) => flaw.includes(`: ${id}: `)))).toEqual([]);
  },
);
