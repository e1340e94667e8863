import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import { type SignedIn, signedIn } from '../iam/people.ts';
import { movesSideways, nameOf, screens, showOn, violations } from './axe.ts';
import { closeWindows, startBrowser } from './browser.ts';
import { startTestPlatform, type TestPlatform } from './platform.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from './seed.ts';

/** The options of a context, and the server if it is not that of the world. */
type WindowOptions = Parameters<Browser['newContext']>[0] & { url?: string };

interface Window {
  context: BrowserContext;
  page: Page;
  /** Errors of the page and requests to other hosts. Must be empty. */
  complaints: string[];
  /** Opens a page of the console, for example `/test/payments`. */
  open(path: string): Promise<unknown>;
}

export interface ConsoleWorld {
  platform: TestPlatform;
  partner: SeededPartner;
  /** An account of the partner in test mode. */
  account: SeededAccount;
  /** Internal staff with a role, or people of the partner. */
  staff(role: string): Promise<SignedIn>;
  ofPartner(role: string): Promise<SignedIn>;
  /** A window of the person, or of a visitor. */
  windowOf(person: SignedIn | null, options?: WindowOptions): Promise<Window>;
  /** A tab in a window of a hubadmin that tests share: its browser keeps what it has loaded. A test closes its page. */
  hubTab(): Promise<Window>;
  close(): Promise<void>;
}

/** A platform with a partner, and a browser for its console. */
export async function startConsoleWorld(
  env: Record<string, string> = {},
  identityProvider: 'embedded' | 'clerk' = 'embedded',
): Promise<ConsoleWorld> {
  const [browser, platform] = await Promise.all([
    startBrowser(),
    startTestPlatform({ identityProvider, env: { WEBHOOK_ALLOW_PRIVATE: 'true', ...env } }),
  ]);
  const partner = await seedPartner(platform);
  const staff = (role: string) => signedIn(platform, { platformRoles: [role] });
  let hub: Promise<BrowserContext> | undefined;
  return {
    platform,
    partner,
    account: await partner.account('Corner Shop'),
    staff,
    ofPartner: (role) => signedIn(platform, { platformRoles: [role], whitelabelOwnership: partner.slug }),
    windowOf: async (person, { url = platform.url, ...options } = {}) =>
      openTab(await openContext(browser, url, person, options), url),
    async hubTab() {
      hub ??= staff('hubadmin').then((person) => openContext(browser, platform.url, person));
      return openTab(await hub, platform.url);
    },
    async close() {
      await closeWindows();
      await platform.close();
    },
  };
}

async function openContext(
  browser: Browser,
  url: string,
  person: SignedIn | null,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  });
  await context.addCookies(
    (person?.cookie.split('; ') ?? []).map((cookie) => {
      const [name = '', value = ''] = cookie.split(/=(.*)/s);
      return { name, value, url, httpOnly: true };
    }),
  );
  return context;
}

async function openTab(context: BrowserContext, url: string): Promise<Window> {
  const complaints: string[] = [];
  const page = await context.newPage();
  page.setDefaultTimeout(40_000);
  // Not by a route, with which the browser caches nothing and every page costs as much as the first one.
  page.on('request', (request) => {
    const requested = new URL(request.url());
    if (requested.protocol.startsWith('http') && requested.origin !== url) complaints.push(`asked ${requested.href}`);
  });
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  return { context, page, complaints, open: (path) => page.goto(`${url}/console${path}`) };
}

export const links = (page: Page) => page.getByRole('navigation').getByRole('link');
export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });
export const dialog = (page: Page) => page.getByRole('dialog');
/** Resolves when no dialog is open any more. Of one that stays open the error says what it shows and what was typed. */
export async function dialogClosed(page: Page): Promise<void> {
  try {
    await dialog(page).waitFor({ state: 'detached' });
  } catch (error) {
    const typed = await dialog(page).evaluateAll((dialogs) =>
      dialogs.flatMap((shown) => [...shown.querySelectorAll('input')].map(({ value }) => value)),
    );
    const shown = (await dialog(page).allInnerTexts()).join('\n');
    throw new Error(`The dialog is still open. It shows:\n${shown}\nTyped: ${JSON.stringify(typed)}`, { cause: error });
  }
}
/** The button of a dialog that acts: it says the action with its object. */
export const submit = (page: Page) => dialog(page).locator('button[type=submit]');
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Opens the field of a filter of a list, from the names of all filters or, if it has a value, from its chip. */
export async function openFilter(page: Page, label: string): Promise<void> {
  const chip = page.getByRole('search').getByRole('button', { name: new RegExp(`^${label}: `) });
  if (await chip.isVisible()) return chip.click();
  await page.getByRole('search').getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('dialog', { name: 'Filters' }).getByRole('button', { name: label, exact: true }).click();
}

/** Filters a list by a text, a day, or an object of which the name or the identifier is typed. */
export async function filterBy(page: Page, label: string, value: string): Promise<void> {
  await openFilter(page, label);
  const field = page.getByRole('dialog', { name: `Filter by ${label}` }).getByLabel(label, { exact: true });
  await field.fill(value);
  await field.press('Enter');
}

/** Resolves when nothing of the page is loading any more. */
export async function loaded(page: Page): Promise<void> {
  await page.locator('h1, [role=alert]').first().waitFor();
  await page.waitForFunction(() => document.querySelector('[role=status][aria-label=Loading]') === null);
}

/** Whether a request of a page changes anything. */
export const isMutation = (route: Route): boolean =>
  String(route.request().postDataJSON()?.query).trimStart().startsWith('mutation');

/** The platform does what the next mutation of a page asks, and its answer is lost: `answer` is what it was. */
export async function loseAnswer(page: Page): Promise<{ answer: Promise<object> }> {
  const { promise: answer, resolve } = Promise.withResolvers<object>();
  let isLost = false;
  await page.route('**/graphql', async (route) => {
    if (isLost || !isMutation(route)) return route.fallback();
    isLost = true;
    const response = await route.fetch();
    await route.abort();
    resolve(await response.json());
  });
  return { answer };
}

/** No finding of axe and no sideways scroll: dark at 390 pixels, then light at 1280, which the page keeps. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const screen of screens.toReversed()) {
    await showOn(page, screen);
    await page.mouse.move(0, 0);
    await expect.poll(() => page.getByRole('tooltip').count()).toBe(0);
    expect(await violations(page), nameOf(screen)).toEqual([]);
    expect(await movesSideways(page, screen), nameOf(screen)).toBe(false);
  }
}
