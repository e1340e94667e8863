// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ConsoleWorld,
  dialog,
  dialogClosed,
  expectAccessible,
  heading,
  loaded,
  startConsoleWorld,
} from '../support/console.ts';
import { seedPartner } from '../support/seed.ts';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(() => world?.close());

/** A window of a person, in which a text is searched for. */
async function searching(role: string) {
  const person = role === 'hubadmin' ? await world.staff(role) : await world.ofPartner(role);
  const opened = await world.windowOf(person);
  const { page } = opened;
  await opened.open('/test/payments');
  await loaded(page);
  const search = async (text: string): Promise<void> => {
    if (!(await dialog(page).isVisible())) await page.keyboard.press('Control+k');
    await dialog(page).locator('input').fill(text);
  };
  const option = (name: string | RegExp) => page.getByRole('option', { name });
  return { ...opened, search, option };
}

test('merchants, stores, processors and customers are found by name, the most likely first, each with its mode and merchant', {
  timeout: 150_000,
}, async () => {
  const { account, partner, platform } = world;
  const live = await (await seedPartner(platform, 'live', partner.id)).account('Corner');
  await partner.account('Old Corner Room');
  const { prisma } = platform.services;
  await prisma.store.update({ where: { id: account.storeId }, data: { name: 'Pier 9' } });
  const { id } = await account.api.ok('/customers/create', { email: 'q@names.example', firstName: 'Violet' });
  const { context, page, complaints, search, option } = await searching('hubadmin');
  await search('corner');
  await option(/^account Old Corner Room/).waitFor();
  const names = (await page.getByRole('option', { name: /^account/ }).allInnerTexts()).map(
    (text) => text.split('\n')[0],
  );
  expect(names).toEqual(['account Corner', 'account Corner Shop', 'account Old Corner Room']);
  await option(/^account Corner tpa_.*live mode$/).waitFor();
  await option(/^account Corner Shop.*test mode$/).waitFor();
  await expectAccessible(page);
  await option(/^account Corner tpa_/).click();
  await page.waitForURL(`**/console/live/accounts/${live.id}`);
  for (const [text, name, path] of [
    ['pier', /^store Pier 9 Corner Shop/, `/console/test/accounts/${account.id}?tab=stores`],
    ['violet', /^customer q@names.example Corner Shop/, `/console/test/customers/${id}`],
  ] as const) {
    await search(text);
    await option(name).click();
    await page.waitForURL(`**${path}`);
  }
  expect(complaints).toEqual([]);
  await context.close();
});

test('Enter that is pressed before the answer opens what the answer finds first', { timeout: 60_000 }, async () => {
  const { id } = await world.account.api.ok('/customers/create', { email: 'early@names.example' });
  const { context, page, search } = await searching('hubadmin');
  await search('early@names.example');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/console/test/customers/${id}`);
  await context.close();
});

test('the search goes to pages, switches the mode, opens the dialog that creates a key, and signs out', {
  timeout: 150_000,
}, async () => {
  const { context, page, complaints, search, option } = await searching('partneradmin');
  await search('go to');
  expect(await option(/^Go to/).count()).toBeGreaterThan(15);
  expect(await option('Go to Partners').count()).toBe(0);
  await search('webhook end');
  await option('Go to Webhook endpoints').click();
  await heading(page, 'Webhook endpoints').waitFor();
  await search('switch');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/console/live/endpoints');
  await search('create');
  expect(await option(/^Create/).allInnerTexts()).toEqual(['Create live key', 'Create block rule']);
  await option('Create live key').click();
  await dialog(page).getByLabel('Label').waitFor();
  expect(new URL(page.url()).pathname).toBe('/console/live/api-keys');
  await page.keyboard.press('Escape');
  await dialogClosed(page);
  await search('sign out');
  await option('Sign out').click();
  await page.waitForURL('**/idp/sign-in?**');
  expect(complaints).toEqual([]);
  await context.close();
});

test.each([
  ['10 kB', 'x'.repeat(10_000)],
  ['emoji', '👩‍👩‍👧‍👦🏴‍☠️'],
  ['control characters', 'a\u0000b\u0007c\u001b[2J'],
  ['SQL', "'; DROP TABLE customers; --"],
])('%s that was pasted finds nothing, and the search says so', async (_name, text) => {
  const { context, page, complaints, search } = await searching('hubadmin');
  await search(text);
  await dialog(page).getByText('No results for this name').waitFor();
  expect(await dialog(page).getByRole('group', { name: 'Found' }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});
