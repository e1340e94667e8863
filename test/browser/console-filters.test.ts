// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt
import { afterAll, beforeAll, expect, test } from 'vitest';
import { showOn } from '../support/axe.ts';
import {
  button,
  type ConsoleWorld,
  dialog,
  dialogClosed,
  expectAccessible,
  filterBy,
  links,
  loaded,
  openFilter,
  startConsoleWorld,
} from '../support/console.ts';
import { onePageOfEach } from '../support/console-objects.ts';
import { seedPartner } from '../support/seed.ts';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(() => world?.close());

test('a list is filtered by the name of a merchant, which completes what is typed; the URL has the identifier, and what names nothing is refused at the field', {
  timeout: 150_000,
}, async () => {
  const { account, partner } = world;
  const other = await partner.account('Corner Bakery');
  await account.charge();
  await other.charge();
  const { context, page, complaints, open } = await world.windowOf(await world.staff('hubadmin'));
  const filtered = async (key: string, value: string | null): Promise<void> => {
    await expect.poll(() => new URL(page.url()).searchParams.get(key)).toBe(value);
  };
  await open('/test/payments');
  await page.getByRole('row', { name: /Corner Bakery/ }).waitFor();
  expect(await page.getByRole('link', { name: 'Corner Bakery' }).getAttribute('title')).toBe(other.id);

  await openFilter(page, 'Account');
  const field = page.getByRole('combobox', { name: 'Account' });
  await field.fill('corn');
  await page.getByRole('option', { name: 'Corner Bakery' }).waitFor();
  await expectAccessible(page);
  await field.press('ArrowDown');
  const chosen = await page.locator('[data-combobox-selected]').textContent();
  await field.press('Enter');
  const id = chosen?.startsWith('Corner Bakery') ? other.id : account.id;
  await filtered('platformAccountId', id);
  await button(page, `Account: ${id === other.id ? 'Corner Bakery' : 'Corner Shop'}`).waitFor();

  await filterBy(page, 'Account', 'Corner Shop');
  await filtered('platformAccountId', account.id);
  await button(page, 'Account: Corner Shop').waitFor();
  await page.getByRole('row', { name: /Corner Bakery/ }).waitFor({ state: 'detached' });

  await filterBy(page, 'Account', other.id);
  await filtered('platformAccountId', other.id);
  await button(page, 'Account: Corner Bakery').waitFor();

  for (const [text, refusal] of [
    ['Nowhere Ltd', 'No account matches “Nowhere Ltd”.'],
    ['tpa_none', 'No account matches “tpa_none”.'],
    ['corner', 'More than one account matches “corner”: choose one.'],
  ] as const) {
    await filterBy(page, 'Account', text);
    await page.getByText(refusal).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await dialogClosed(page);
  }
  await filterBy(page, 'Order', 'Corner');
  await page.getByText('Enter an identifier that begins with ord_.').waitFor();
  await filtered('platformAccountId', other.id);
  await filtered('orderId', null);
  expect(complaints).toEqual([]);
  await context.close();
});

test('partners, stores, processors and customers are chosen by name in filters, stores and processors also by the name of their merchant', {
  timeout: 150_000,
}, async () => {
  const { account, partner } = world;
  const { payment } = await account.charge();
  const { prisma } = world.platform.services;
  const { email } = await prisma.customer.findUniqueOrThrow({ where: { id: String(payment['customerId']) } });
  const [storeId, processorId] = [String(payment['storeId']), String(payment['processorId'])];
  await prisma.store.update({ where: { id: storeId }, data: { name: 'Pier 9' } });
  await prisma.processor.update({ where: { id: processorId }, data: { name: 'Acquirer North' } });
  const { context, page, complaints, open } = await world.windowOf(await world.staff('hubadmin'));
  await open('/test/payments');
  for (const [label, typed, key, value] of [
    ['Partner', partner.slug, 'partner', partner.slug],
    ['Store', 'Corner Shop', 'storeId', storeId],
    ['Store', 'pier', 'storeId', storeId],
    ['Processor', 'Corner Shop', 'processorId', processorId],
    ['Processor', 'north', 'processorId', processorId],
    ['Customer', email, 'customerId', String(payment['customerId'])],
  ] as const) {
    await openFilter(page, label);
    await page.getByRole('combobox', { name: label }).fill(typed);
    await page.getByRole('listbox').getByRole('option').first().click();
    await expect.poll(() => new URL(page.url()).searchParams.get(key)).toBe(value);
    await page
      .getByRole('row', { name: /\$25\.00/ })
      .first()
      .waitFor();
  }
  expect(complaints).toEqual([]);
  await context.close();
});

test('the form of a test clock takes the account by a part of its name', { timeout: 90_000 }, async () => {
  const { context, page, complaints, open } = await world.windowOf(await world.staff('hubadmin'));
  await open('/test/test-clocks');
  await button(page, 'Create test clock').click();
  await dialog(page).getByRole('combobox', { name: 'Account' }).fill('ner sho');
  await page.getByRole('option', { name: 'Corner Shop' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('option', { name: 'Corner Shop' }).click();
  await dialog(page).getByLabel('Name').fill('a year of renewals');
  await dialog(page).getByLabel('Name').press('Enter');
  await page.getByRole('row', { name: /a year of renewals/ }).waitFor();
  await dialogClosed(page);
  const { prisma } = world.platform.services;
  expect(await prisma.testClock.findFirst({ where: { name: 'a year of renewals' } })).toMatchObject({
    platformAccountId: world.account.id,
  });
  expect(complaints).toEqual([]);
  await context.close();
});

test('a list begins at most 200 pixels from the top: filters are chips with their values, which open and go one by one', {
  timeout: 150_000,
}, async () => {
  await world.account.charge();
  const { context, page, complaints, open } = await world.windowOf(await world.staff('hubadmin'), {
    viewport: { width: 1440, height: 900 },
  });
  for (const path of ['payments', 'customers', 'accounts', 'processors', 'events']) {
    await open(`/test/${path}`);
    await loaded(page);
    const box = await page.getByRole('table').boundingBox();
    expect(box?.y, path).toBeLessThanOrEqual(200);
  }
  await open('/test/payments?status=succeeded&cardLast4=4242');
  await button(page, 'Status: succeeded').waitFor();
  await button(page, 'Remove filter: Last four digits').click();
  await expect.poll(() => new URL(page.url()).search).toBe('?status=succeeded');
  await button(page, 'Filter').focus();
  await page.keyboard.press('Enter');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await dialogClosed(page);
  expect(await button(page, 'Filter').evaluate((one) => one === document.activeElement)).toBe(true);
  await button(page, 'Clear').click();
  await expect.poll(() => new URL(page.url()).search).toBe('');
  await showOn(page, { width: 390, colorScheme: 'light' });
  await filterBy(page, 'Last four digits', '4242');
  await button(page, 'Last four digits: 4242').waitFor();
  await expectAccessible(page);
  expect(complaints).toEqual([]);
  await context.close();
});

test('every header that sorts leads to rows in its order, also one of the list without filters; payments are sorted by amount within one currency of one partner', {
  timeout: 150_000,
}, async () => {
  await onePageOfEach(world);
  const { context, page, complaints, open } = await world.windowOf(await world.staff('hubadmin'));
  const sorted = new Set<string>();
  await open('/test');
  await links(page).first().waitFor();
  const paths = await links(page).evaluateAll((all) =>
    all.map((link) => new URL((link as HTMLAnchorElement).href).pathname),
  );
  for (const path of paths) {
    await open(path.slice('/console'.length));
    await loaded(page);
    const headers = page.getByRole('columnheader').getByRole('button');
    for (const header of await headers.all())
      for (const direction of ['descending', 'ascending']) {
        await header.click();
        await page.locator(`th[aria-sort=${direction}]`).waitFor();
        await loaded(page);
        expect(await page.getByRole('alert').count(), path).toBe(0);
        sorted.add(path);
      }
  }
  expect(sorted.size).toBeGreaterThan(5);

  await open('/test/payments?sort=amount:desc');
  await page
    .getByRole('row', { name: /\$25\.00/ })
    .first()
    .waitFor();
  const amount = page.getByRole('columnheader', { name: 'Amount' });
  expect(await amount.getAttribute('title')).toBe('To sort by this column, filter by currency and partner.');
  expect(await amount.getByRole('button').count()).toBe(0);
  await open(`/test/payments?currency=USD&partner=${world.partner.slug}`);
  await amount.getByRole('button').click();
  await page.locator('th[aria-sort=descending]').waitFor();
  await page
    .getByRole('row', { name: /\$25\.00/ })
    .first()
    .waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});

test('the way back from the page of a payment to the list keeps its filters', { timeout: 90_000 }, async () => {
  await world.account.charge();
  const { context, page, complaints, open } = await world.windowOf(await world.staff('hubadmin'));
  await open('/test/payments?status=succeeded&currency=USD');
  await page.locator('.row-link').first().click();
  await page.getByRole('link', { name: '← Payments' }).click();
  await expect.poll(() => new URL(page.url()).search).toBe('?status=succeeded&currency=USD');
  await button(page, 'Status: succeeded').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('a list says how many rows have come since it was read, and shows them when asked', {
  timeout: 90_000,
}, async () => {
  const partner = await seedPartner(world.platform);
  const account = await partner.account('Fresh Bakery');
  await account.charge();
  const { context, page, open } = await world.windowOf(await world.staff('hubadmin'));
  await page.clock.install();
  await open(`/test/payments?partner=${partner.slug}`);
  await loaded(page);
  await account.charge();
  await account.charge();
  const asked = page.waitForResponse('**/graphql');
  await page.clock.fastForward(21_000);
  await asked;
  await page.clock.runFor(1000);
  const rows = page.getByRole('table').getByRole('row');
  expect(await rows.count()).toBe(2);
  await button(page, '2 new').click();
  await rows.nth(3).waitFor();
  expect(await button(page, '2 new').count()).toBe(0);
  await context.close();
});
