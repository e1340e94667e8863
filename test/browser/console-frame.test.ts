// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  button,
  type ConsoleWorld,
  dialog,
  dialogClosed,
  heading,
  loaded,
  startConsoleWorld,
} from '../support/console.ts';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(async () => {
  await world?.close();
});

test('times and filters by day are in UTC, or in the time zone that the person chooses, which a reload keeps', {
  timeout: 60_000,
}, async () => {
  const { payment } = await world.account.charge();
  // The first hour of a day in UTC is the day before in Los Angeles.
  await world.platform.services.prisma.payment.update({
    where: { id: String(payment['id']) },
    data: { createdAt: new Date('2026-03-02T00:30:00.000Z') },
  });
  const { context, page, complaints, open } = await world.windowOf(await world.staff('hubadmin'), {
    timezoneId: 'America/Los_Angeles',
    locale: 'en-US',
  });
  const row = page.getByRole('row', { name: /\$25\.00/ });
  const day = (date: string) => `/test/payments?since=${date}&until=${date}`;
  await open(day('2026-03-02'));
  await row.getByText('Mar 2, 12:30 AM').waitFor();
  await page.getByLabel('Time zone').selectOption('Los Angeles');
  await page.getByText('No payments match these filters').waitFor();

  await open(day('2026-03-01'));
  await row.getByText('Mar 1, 4:30 PM').hover();
  await page.getByText('Mar 1, 2026, 4:30:00 PM PST, 2026-03-02 00:30:00.000 UTC').waitFor();
  await context.close();
  expect(complaints).toEqual([]);
});

test('a click in a row opens its page, one on the text of a selection or a control does not', async () => {
  await world.account.charge();
  const { page, complaints, open } = await world.hubTab();
  await open('/test/payments');
  await page.getByRole('cell', { name: 'Corner Shop' }).first().locator('xpath=following-sibling::td[1]').click();
  await heading(page, /\$25\.00/).waitFor();
  expect(complaints).toEqual([]);
  await page.close();
});

test('a group of the menu closes and stays closed after a reload, and shows the page that is open all the same', async () => {
  const { page, complaints, open } = await world.hubTab();
  await open('/test/payments');
  const menu = page.getByRole('navigation', { name: 'Pages' });
  const subscriptions = menu.getByRole('link', { name: 'Subscriptions' });
  await subscriptions.waitFor();
  await menu.getByRole('button', { name: 'Billing' }).click();
  await subscriptions.waitFor({ state: 'hidden' });
  await page.reload();
  await loaded(page);
  expect(await subscriptions.isVisible()).toBe(false);
  await open('/test/subscriptions');
  await subscriptions.waitFor();
  await page.evaluate(() => localStorage.clear());
  expect(complaints).toEqual([]);
  await page.close();
});

test('the console, the sign-in page and the documentation have the same font, from this server', async () => {
  const { page, complaints, open } = await world.hubTab();
  const font = () =>
    page.evaluate(async () => {
      await document.fonts.ready;
      const loaded = [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family);
      return [getComputedStyle(document.body).fontFamily.split(',')[0], [...new Set(loaded)]];
    });
  for (const path of ['/console/test', '/idp/sign-in', '/docs/']) {
    await page.goto(world.platform.url + path);
    await page.getByRole('heading').first().waitFor();
    expect([path, await font()]).toEqual([path, ['"Inter Variable"', ['Inter Variable']]]);
  }
  await open('/test');
  expect(complaints).toEqual([]);
  await page.close();
});

test('single keys: J and K move between rows, E exports, R refunds, ? shows the keys and turns them off', async () => {
  await world.account.charge();
  await world.account.charge();
  const { page, complaints, open } = await world.hubTab();
  await open('/test/payments');
  await loaded(page);
  const rows = page.locator('main .row-link');
  await rows.nth(1).waitFor();
  const at = () => rows.evaluateAll((links) => links.indexOf(document.activeElement as HTMLElement));
  const seen: number[] = [];
  for (const key of ['j', 'j', 'k']) {
    await page.keyboard.press(key);
    seen.push(await at());
  }
  expect(seen).toEqual([0, 1, 0]);
  await page.keyboard.press('e');
  await dialog(page).getByText('as CSV').waitFor();
  await page.keyboard.press('Escape');
  await dialogClosed(page);

  await rows.first().focus();
  await page.keyboard.press('Enter');
  await button(page, 'Refund').waitFor();
  await page.keyboard.press('r');
  await dialog(page).getByLabel('Reason').waitFor();
  await page.keyboard.press('Escape');
  await dialogClosed(page);
  await page.goBack();
  await rows.first().waitFor();

  await page.keyboard.press('Shift+?');
  await dialog(page).getByRole('switch', { name: 'Single keys' }).click();
  await page.keyboard.press('Escape');
  await dialogClosed(page);
  await rows.first().focus();
  await page.keyboard.press('j');
  expect(await at()).toBe(0);
  await page.evaluate(() => localStorage.clear());
  expect(complaints).toEqual([]);
  await page.close();
});
