// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  button,
  type ConsoleWorld,
  dialog,
  dialogClosed,
  heading,
  links,
  loaded,
  startConsoleWorld,
} from '../support/console.ts';
import { onePageOfEach } from '../support/console-objects.ts';
import { type SeededPartner, seedPartner } from '../support/seed.ts';

let world: ConsoleWorld;
let rival: SeededPartner;
/** Pages of objects of the person's partner, and of another one. */
let own: string[];
let foreign: string[];
/** What users of one partner may never receive of the other. */
let secrets: string[];

const router = readFileSync(join(import.meta.dirname, '..', '..', 'console', 'src', 'shell', 'router.tsx'), 'utf8');
/** The lists and other pages that need no identifier. */
const routes = [...router.matchAll(/\bpage\('([^'$]+)'/g)].map(([, path = '']) => path);

beforeAll(async () => {
  world = await startConsoleWorld();
  rival = await seedPartner(world.platform);
  const account = await rival.account('Rival Roasters');
  const { payment } = await account.charge();
  const ofRival = (await onePageOfEach({ ...world, partner: rival, account })).map(({ path }) => path);
  // The profile is that of the signed-in user.
  foreign = ofRival.filter((path) => path !== '/test/me');
  own = (await onePageOfEach(world)).map(({ path }) => path);
  const { prisma } = world.platform.services;
  const customers = await prisma.customer.findMany({ where: { partnerId: rival.id } });
  secrets = [
    'Rival Roasters',
    rival.id,
    rival.slug,
    account.id,
    account.storeId,
    String(payment['id']),
    ...customers.flatMap(({ id, email }) => [id, email]),
    ...foreign.map((path) => path.split('/').at(-1) ?? ''),
  ];
});
afterAll(() => world?.close());

/** Every answer that the browser receives from now on, and the titles of its pages. */
function received(page: Page): { bodies: Promise<string>[]; all(): Promise<string> } {
  const bodies: Promise<string>[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname === '/graphql' || pathname.startsWith('/exports/')) bodies.push(response.text().catch(() => ''));
  });
  return { bodies, all: async () => (await Promise.all(bodies)).join('\n') };
}

const leaked = (text: string): string[] => secrets.filter((secret) => text.includes(secret));

/** The addresses of the menu below `/console`. */
async function menuShownBy(page: Page): Promise<string[]> {
  await heading(page, 'Overview').waitFor();
  return links(page).evaluateAll((all) =>
    all.map((link) => (link.getAttribute('href') ?? '').replace(/^\/console/, '')),
  );
}

/** What the pages of a window ask from now on. */
function askedBy(page: Page): { query: string; variables: Record<string, unknown> }[] {
  const requested: { query: string; variables: Record<string, unknown> }[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/graphql')) requested.push(request.postDataJSON());
  });
  return requested;
}

describe('people of a partner', () => {
  /** What the pages asked while a partneradmin opened them. */
  let requested: { query: string; variables: Record<string, unknown> }[] = [];

  test('a partneradmin opens every address: none of the menu refuses, and nothing of another partner is in any answer', {
    timeout: 180_000,
  }, async () => {
    const { context, page, open, complaints } = await world.windowOf(await world.ofPartner('partneradmin'));
    const { all } = received(page);
    requested = askedBy(page);
    await open('/test');
    const shown = await menuShownBy(page);
    for (const path of [...routes.map((route) => `/test${route}`), ...foreign]) {
      await open(path);
      await loaded(page);
      if (shown.includes(path)) expect(await page.getByRole('alert').allInnerTexts(), path).toEqual([]);
      const text = await page.locator('main').last().innerText();
      expect(leaked(text.replaceAll(path.split('/').at(-1) ?? '', '')), path).toEqual([]);
      expect(leaked(await page.title()), path).toEqual([]);
      expect(text.length, `${path} says nothing`).toBeGreaterThan(20);
    }
    expect(leaked(await all())).toEqual([]);
    for (const path of own.filter((path) => !path.includes('/partners/'))) {
      await open(path);
      await loaded(page);
      expect(await page.getByRole('alert').allInnerTexts(), path).toEqual([]);
    }
    expect(leaked(await all())).toEqual([]);
    // A refusal is an answer, and no fault of the page.
    expect(complaints.filter((text) => !text.includes('status of 40'))).toEqual([]);
    await context.close();
  });

  test.each([
    { role: 'accountmanager', sees: true },
    { role: 'partnerstaff', sees: false },
  ])('$role asks what these pages ask: nothing of another partner is in any answer', async ({ role, sees }) => {
    expect(requested.length).toBeGreaterThan(routes.length);
    const person = await world.ofPartner(role);
    const answers: string[] = [];
    for (const { query, variables } of requested) answers.push(JSON.stringify(await person.graphql(query, variables)));
    expect(leaked(answers.join('\n'))).toEqual([]);
    expect(answers.some((answer) => answer.includes('Corner Shop'))).toBe(sees);
  });

  test('the search and an export of a partneradmin have nothing of another partner', { timeout: 120_000 }, async () => {
    const { context, page, open } = await world.windowOf(await world.ofPartner('partneradmin'));
    const { all } = received(page);
    await open('/test/payments');
    await loaded(page);
    await page.keyboard.press('Control+k');
    for (const secret of secrets.filter((text) => text !== '')) {
      await page.getByRole('dialog').locator('input').fill(secret);
      await page.getByText('No results for this name').waitFor();
    }
    await page.keyboard.press('Escape');
    await dialogClosed(page);
    await button(page, 'Export').click();
    const saved = page.waitForEvent('download');
    await dialog(page).getByRole('button', { name: 'Export' }).click();
    const file = readFileSync(await (await saved).path(), 'utf8');
    expect(file.split('\r\n').length).toBeGreaterThan(2);
    expect(leaked(file)).toEqual([]);
    expect(leaked(await all())).toEqual([]);
    await context.close();
  });
});

test('an internal accountmanager sees on every page for the hub that the role does not allow it', async () => {
  const { context, page, open } = await world.windowOf(await world.staff('accountmanager'));
  await open('/test');
  const shown = await menuShownBy(page);
  const hidden = routes.filter((route) => route !== '/' && !shown.includes(`/test${route}`));
  expect(hidden.sort()).toEqual(['/audit', '/organizations', '/partners', '/staff']);
  for (const path of [...hidden, `/partners/${rival.slug}`].filter((route) => route !== '/staff')) {
    await open(`/test${path}`);
    await page.getByRole('alert').getByText('Your role does not allow this').first().waitFor();
  }
  await open(`/test/staff?partner=${rival.slug}`);
  await page.getByRole('alert').getByText('Your role does not allow this').first().waitFor();
  await context.close();
});

test('a role that shrinks while a page is open: what is read next is of the new role, and so is the menu', async () => {
  const person = await world.staff('hubadmin');
  const { context, page, open } = await world.windowOf(person);
  await open('/test/payments');
  await page.getByText('Rival Roasters').first().waitFor();
  await world.platform.services.prisma.iamUser.update({
    where: { idpUserId: person.id },
    data: { platformRoles: ['accountmanager'], whitelabelOwnership: world.partner.slug },
  });
  const { all } = received(page);
  await links(page)
    .filter({ hasText: /^Partners$/ })
    .click();
  await page.getByRole('alert').getByText('Your role does not allow this').first().waitFor();
  await expect
    .poll(() =>
      links(page)
        .filter({ hasText: /^Partners$/ })
        .count(),
    )
    .toBe(0);
  await links(page)
    .filter({ hasText: /^Payments$/ })
    .click();
  await heading(page, 'Payments').waitFor();
  await expect.poll(() => page.getByText('Rival Roasters').count()).toBe(0);
  await page.getByText('Corner Shop').first().waitFor();
  expect(leaked(await all())).toEqual([]);
  await context.close();
});
