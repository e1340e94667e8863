// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  button,
  type ConsoleWorld,
  dialog,
  dialogClosed,
  expectAccessible,
  loaded,
  startConsoleWorld,
  submit,
} from '../support/console.ts';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
  await world.account.charge();
  await world.account.charge('tok_visa_declined');
});
afterAll(() => world?.close());

test('filters, order and hidden columns are saved under a name; a shared view is opened by the team, and deleted by its owner alone', {
  timeout: 120_000,
}, async () => {
  const [owner, mate, stranger] = [
    await world.windowOf(await world.staff('hubadmin')),
    await world.windowOf(await world.staff('accountmanager')),
    await world.windowOf(await world.ofPartner('partneradmin')),
  ];
  const { page, open, complaints } = owner;
  await open('/test/payments?status=declined');
  await page.getByRole('columnheader', { name: 'Created' }).waitFor();
  await button(page, 'Columns').click();
  await dialog(page).getByLabel('Created').uncheck();
  await page.keyboard.press('Escape');
  expect(await page.getByRole('columnheader', { name: 'Created' }).count()).toBe(0);
  expect(new URL(page.url()).search).toBe('?status=declined&hidden=Created');
  await button(page, 'Save view').click();
  await dialog(page).getByLabel('Name').fill('Declined today');
  await dialog(page).getByLabel('Share with my team').check();
  await expectAccessible(page);
  await submit(page).click();
  await dialogClosed(page);
  await button(page, 'View: Declined today').waitFor();

  await mate.open('/live/payments');
  await button(mate.page, 'Views').click();
  await mate.page.getByRole('button', { name: /Declined today/ }).click();
  await button(mate.page, 'View: Declined today').waitFor();
  expect(new URL(mate.page.url()).search).toBe('?hidden=Created&status=declined');
  expect(await button(mate.page, 'Delete view').count()).toBe(0);
  await mate.context.close();
  await stranger.open('/test/payments');
  await loaded(stranger.page);
  expect(await button(stranger.page, 'Views').count()).toBe(0);
  await stranger.context.close();

  await open('/test/payments?status=succeeded');
  await button(page, 'Save view').click();
  await dialog(page).getByLabel('Name').fill('Declined today');
  await dialog(page).getByText('Replaces your view “Declined today”').waitFor();
  expect(await dialog(page).getByLabel('Share with my team').isChecked()).toBe(true);
  await submit(page).click();
  await dialogClosed(page);
  await button(page, 'View: Declined today').waitFor();
  await button(page, 'Delete view').click();
  await submit(page).click();
  await dialogClosed(page);
  await button(page, 'Save view').waitFor();
  expect(await button(page, 'View: Declined today').count()).toBe(0);
  expect(complaints).toEqual([]);
  await owner.context.close();
});

test('in live mode a view is saved without the confirmation, and a view that was deleted meanwhile is said to be missing', {
  timeout: 90_000,
}, async () => {
  const { context, page, open } = await world.windowOf(await world.staff('hubadmin'));
  await open('/live/accounts?status=active');
  await button(page, 'Save view').click();
  expect(await dialog(page).getByLabel('Live mode').count()).toBe(0);
  await dialog(page).getByLabel('Name').fill('Active');
  await submit(page).click();
  await dialogClosed(page);
  await button(page, 'Delete view').click();
  await world.platform.services.prisma.savedView.deleteMany({ where: { list: 'accounts' } });
  await submit(page).click();
  await dialog(page).getByText('View not found.').waitFor();
  await button(page, 'Keep view').click();
  await dialogClosed(page);
  await context.close();
});

test('a link with a filter that the list does not have says so, and shows the list without it', {
  timeout: 60_000,
}, async () => {
  const { context, page, open } = await world.windowOf(await world.staff('hubadmin'));
  await open('/test/payments?status=declined&risk=high&hidden=Gone,Created');
  await page.getByText('A filter of this link does not exist and is ignored: risk.').waitFor();
  const rows = page.getByRole('table').getByRole('row');
  await rows.nth(1).waitFor();
  expect(await rows.count()).toBe(2);
  await button(page, 'Remove').click();
  await page.getByText('does not exist').waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('?status=declined&hidden=Gone%2CCreated');
  await context.close();
});
