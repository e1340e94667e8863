// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt src/domains/ledger
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { everyScreen, flawsOnScreens } from '../support/axe.ts';
import { type ConsoleWorld, heading, startConsoleWorld } from '../support/console.ts';
import { asOwner } from '../support/database.ts';
import type { SeededAccount } from '../support/seed.ts';

// cspell:ignore valuetext valuenow
let world: ConsoleWorld;
let account: SeededAccount;

beforeAll(async () => {
  world = await startConsoleWorld();
  account = await world.partner.account('Flower Shop');
  const chargeCurrencies = ['USD', 'EUR'];
  await world.platform.services.prisma.store.update({ where: { id: account.storeId }, data: { chargeCurrencies } });
  // A day earlier: 10.00 captured and one decline. Then: 15.00 captured, 2.00 of it refunded, and 5.00 authorized.
  await account.charge('tok_visa', { amount: 1000 });
  await account.charge('tok_visa_insufficient', { amount: 1000 });
  await asOwner(
    world.platform,
    `UPDATE payments SET "createdAt" = "createdAt" - interval '1 day' WHERE "platformAccountId" = '${account.id}';
    INSERT INTO counters.figures_changed
      SELECT "platformAccountId", ("createdAt" AT TIME ZONE 'UTC')::date FROM payments
      WHERE "platformAccountId" = '${account.id}'`,
  );
  const { payment } = await account.charge('tok_visa', { amount: 1500 });
  await account.api.ok('/payments/refund', { paymentId: payment['id'], amount: 200 });
  await account.charge('tok_visa', { amount: 500, mode: 'auth' });
  await account.charge('tok_visa', { amount: 700, currency: 'EUR' });
});
afterAll(() => world?.close());

const tile = (page: Page, name: string) => page.getByRole('region', { name, exact: true }).first();
const chart = (page: Page, name: string) => page.getByRole('slider', { name });
const parameters = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: field }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

test('the tiles show what was captured, refunded, disputed and approved in one currency, each with its change from the period before', async () => {
  const { page, complaints, open } = await world.hubTab();
  await open(`/test?days=today&account=${account.id}`);
  await tile(page, 'Payments').waitFor();
  const texts = async (name: string) => (await tile(page, name).innerText()).split(/\n+/).slice(1, 3);
  expect(await texts('Captured')).toEqual(['$15.00', '+50.0%']);
  expect(await texts('Refunded')).toEqual(['$2.00', '–']);
  expect(await texts('Disputed')).toEqual(['$0.00', '–']);
  expect(await texts('Net')).toEqual(['$13.00', '+30.0%']);
  expect(await texts('Approval rate')).toEqual(['100%', '+50 points']);
  expect(await texts('Payments')).toEqual(['2', '0.0%']);
  expect(await tile(page, 'Payments').innerText()).toContain('$5.00 authorized');
  await choose(page, 'Currency', 'EUR');
  await tile(page, 'Captured').getByText('€7.00').waitFor();
  expect(parameters(page)).toEqual({ days: 'today', account: account.id, currency: 'EUR' });
  await page.reload();
  await tile(page, 'Captured').getByText('€7.00').waitFor();
  expect(complaints).toEqual([]);
  await page.close();
});

test('a tile has the course of its value over the days, and none for a single day', async () => {
  const { page, complaints, open } = await world.hubTab();
  const course = tile(page, 'Captured').locator('.sparkline polyline');
  await open(`/test?days=7&account=${account.id}&currency=USD`);
  // From nothing over 10.00 to 15.00.
  expect(await course.getAttribute('points')).toMatch(/^0\.0,23\.0 .* 100\.0,8\.3 120\.0,1\.0$/);
  await choose(page, 'Period', 'Today');
  await tile(page, 'Captured').getByText('+50.0%').waitFor();
  await expect.poll(() => course.count()).toBe(0);
  expect(complaints).toEqual([]);
  await page.close();
});

test('a chart is read by keyboard: the arrow keys choose a day, whose values and those of the period before are its text', async () => {
  const { page, complaints, open } = await world.hubTab();
  await open(`/test?days=7&account=${account.id}&currency=USD`);
  const captured = chart(page, 'Captured volume of each day in USD');
  await captured.focus();
  const text = () => captured.getAttribute('aria-valuetext');
  expect(await text()).toMatch(/: \$15\.00, 2 approved\. .*: no payments\.$/);
  await captured.press('ArrowLeft');
  await expect.poll(text).toMatch(/: \$10\.00, 1 approved\. /);
  await page.locator('.day-chart').first().getByText('$10.00, 1 approved').waitFor();
  await captured.press('Home');
  await expect.poll(() => captured.getAttribute('aria-valuenow')).toBe('1');
  await captured.press('End');
  await expect.poll(text).toMatch(/\$15\.00/);
  await chart(page, 'Approval rate of each day in USD').press('ArrowLeft');
  await page.getByText('50%, 1 approved, 1 declined').waitFor();
  expect(await flawsOnScreens(page, 'overview', everyScreen)).toEqual([]);
  expect(complaints).toEqual([]);
  await page.close();
});

test('the period is chosen by name and stands in the URL; a custom one asks for its days', async () => {
  const { page, complaints, open } = await world.hubTab();
  await open(`/test?account=${account.id}`);
  const period = page.getByRole('combobox', { name: 'Period' });
  await expect.poll(() => period.inputValue()).toBe('Last 30 days');
  await choose(page, 'Period', 'Yesterday');
  await tile(page, 'Captured').getByText('$10.00').waitFor();
  expect(parameters(page)).toEqual({ days: 'yesterday', account: account.id });
  await page.reload();
  await tile(page, 'Captured').getByText('$10.00').waitFor();
  const from = page.locator('.chip', { hasText: 'From' });
  expect(await from.count()).toBe(0);
  await choose(page, 'Period', 'Custom');
  await from.waitFor();
  const { from: yesterday } = parameters(page);
  expect(parameters(page)).toEqual({ from: yesterday, to: yesterday, account: account.id });
  expect(await from.textContent()).toContain(yesterday);
  await page.getByText('Days are UTC.').waitFor();
  expect(complaints).toEqual([]);
  await page.close();
});

test('an account without payments has no tiles and no charts, and the page says when they appear', async () => {
  const idle = await world.partner.account('Idle Shop');
  const { page, complaints, open } = await world.hubTab();
  await open(`/test?account=${idle.id}`);
  await page.getByText('Amounts and charts appear here with the first payment.').waitFor();
  expect(await page.getByRole('slider').count()).toBe(0);
  expect(complaints).toEqual([]);
  await page.close();
});

test('what waits is a tile, the most urgent first; the rest is one line with links', async () => {
  const { payment } = await account.charge();
  await account.api.ok('/test-disputes/create', { paymentId: payment['id'] });
  const { page, complaints, open } = await world.hubTab();
  await open('/test');
  await heading(page, 'Overview').waitFor();
  const clear = page.getByRole('region', { name: 'All clear' });
  await clear.getByRole('link', { name: 'Past-due subscriptions' }).waitFor();
  const tiles = page.locator('.tile[data-waiting]');
  await expect
    .poll(async () => (await tiles.allInnerTexts()).map((text) => text.split(/\n+/)))
    .toContainEqual(['1', 'Disputes needing response']);
  const names = await tiles.getByRole('link').allInnerTexts();
  expect(names.indexOf('Disputes needing response')).toBeLessThan(names.indexOf('Pending payments'));
  for (const name of names) expect(await clear.getByRole('link', { name, exact: true }).count(), name).toBe(0);
  await clear.getByRole('link', { name: 'Past-due subscriptions' }).click();
  await heading(page, 'Subscriptions').waitFor();
  expect(complaints).toEqual([]);
  await page.close();
});
