// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt
import { afterAll, beforeAll, expect, test } from 'vitest';
import { showOn } from '../support/axe.ts';
import {
  type ConsoleWorld,
  dialog,
  dialogClosed,
  expectAccessible,
  startConsoleWorld,
  submit,
} from '../support/console.ts';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(() => world?.close());

test('the page of an account has its payments, keys, endpoints, processors and stores in tabs, which the URL names and which ask when they are opened', {
  timeout: 150_000,
}, async () => {
  const { account, partner } = world;
  const other = await partner.account('Corner Bakery');
  const { payment } = await account.charge();
  await other.charge();
  await account.api.ok('/webhooks', { url: 'https://hooks.example.com/in', eventTypes: ['customer/created'] });
  const { context, page, complaints, open } = await world.windowOf(await world.staff('hubadmin'));
  const asked: string[] = [];
  page.on('request', (request) => {
    const [, operation] = /query (\w+)/.exec(request.postData() ?? '') ?? [];
    if (operation !== undefined) asked.push(operation);
  });
  const tab = (name: string) => page.getByRole('tab', { name, exact: true });
  const inUrl = async (name: string | null): Promise<void> => {
    await expect.poll(() => new URL(page.url()).searchParams.get('tab')).toBe(name);
  };
  const all = (name: string) =>
    page.getByRole('tabpanel', { name }).getByRole('link', { name: 'View all', exact: true });
  const lists = ['Payments', 'Keys', 'Endpoints', 'Processors', 'AccountStores'];

  await open(`/test/accounts/${account.id}`);
  await page.getByText('No orders yet.').waitFor();
  await expectAccessible(page);
  expect(asked.filter((operation) => lists.includes(operation))).toEqual([]);

  for (const [name, value, list, row] of [
    ['Payments', 'payments', '/payments', 'succeeded'],
    ['Keys', 'keys', '/api-keys', 'Sub-key'],
    ['Webhook endpoints', 'endpoints', '/endpoints', 'https://hooks.example.com/in'],
    ['Processors', 'processors', '/processors', 'Simulate failures'],
    ['Stores', 'stores', null, 'Corner Shop'],
  ] as const) {
    await tab(name).click();
    await inUrl(value);
    const panel = page.getByRole('tabpanel', { name });
    await panel.getByRole('row', { name: row }).first().waitFor();
    expect(await panel.getByText('Corner Bakery').count(), name).toBe(0);
    await expectAccessible(page);
    if (list === null) continue;
    expect(await all(name).getAttribute('href')).toBe(`/console/test${list}?platformAccountId=${account.id}`);
  }
  expect(asked.filter((operation) => lists.includes(operation))).toEqual(lists);

  // Back leads through the tabs, and from the page of a row to the tab of the row.
  await page.goBack();
  await inUrl('processors');
  await open(`/test/accounts/${account.id}?tab=payments`);
  await page.getByRole('tabpanel', { name: 'Payments' }).getByRole('row').nth(1).getByRole('link').first().click();
  await page.waitForURL(`**/payments/${payment['id']}`);
  await page.goBack();
  await inUrl('payments');
  await tab('Overview').click();
  await inUrl(null);
  await open(`/test/accounts/${account.id}?tab=nothing`);
  await tab('Overview').and(page.locator('[aria-selected=true]')).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('a key is revoked in the tab of the account, at 390 pixels, with the dialog of the list', {
  timeout: 100_000,
}, async () => {
  const { id: keyId } = await world.partner.api.ok(`/accounts/${world.account.id}/api-keys`, { label: 'old till' });
  const { context, page, complaints, open } = await world.windowOf(await world.ofPartner('partneradmin'));
  await showOn(page, { width: 390, colorScheme: 'light' });
  await open(`/test/accounts/${world.account.id}?tab=keys`);
  const row = page.getByRole('row', { name: 'old till' });
  await row.getByRole('button', { name: 'Revoke' }).click();
  await dialog(page).getByText('Corner Shop').waitFor();
  await dialog(page).getByLabel('Reason').fill('replaced');
  await submit(page).click();
  await dialogClosed(page);
  await row.getByText('revoked').waitFor();
  const key = await world.platform.services.prisma.apiKey.findUniqueOrThrow({ where: { id: keyId } });
  expect(key.status).toBe('revoked');
  expect(complaints).toEqual([]);
  await context.close();
});
