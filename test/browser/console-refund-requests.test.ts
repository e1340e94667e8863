// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt src/domains/payments
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  button,
  type ConsoleWorld,
  dialog,
  dialogClosed,
  expectAccessible,
  heading,
  startConsoleWorld,
} from '../support/console.ts';
import { limitRefunds } from '../support/refund-limit.ts';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(() => world?.close());

const refundsOf = async (paymentId: unknown) =>
  (await world.platform.services.prisma.refund.findMany({ where: { paymentId: String(paymentId) } })).map(
    ({ amount, status }) => `${amount} ${status}`,
  );

/** Presses Tab until the button of this name has the focus. */
async function tabToButton(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 120; presses++) {
    await page.keyboard.press('Tab');
    if (await button(page, name).evaluateAll((all) => all.some((one) => one === document.activeElement))) return;
  }
  throw new Error(`The Tab key does not lead to ${name}.`);
}

test('a superadmin sets a limit; a refund above it says so before it is sent, waits, and another person approves it', {
  timeout: 150_000,
}, async () => {
  const boss = await world.windowOf(await world.staff('superadmin'));
  await boss.open('/test/refund-requests');
  await button(boss.page, 'Set approval threshold').click();
  await dialog(boss.page).getByLabel('Amount').fill('20');
  await dialog(boss.page).getByLabel('Reason').fill('new rule of the auditors');
  await boss.page.keyboard.press('Enter');
  await dialogClosed(boss.page);
  await boss.page.getByText('Second approver from $20.00').waitFor();
  await boss.context.close();

  const { payment } = await world.account.charge();
  const asker = await world.windowOf(await world.staff('hubadmin'));
  await asker.open(`/test/payments/${payment['id']}`);
  await button(asker.page, 'Refund').click();
  await dialog(asker.page).getByText('Nothing is refunded until then').waitFor();
  await dialog(asker.page).getByLabel('Amount in USD').fill('19.99');
  await dialog(asker.page).getByText('Refunds the card.').waitFor();
  await dialog(asker.page).getByLabel('Amount in USD').fill('20');
  await dialog(asker.page).getByText('Nothing is refunded until then').waitFor();
  await dialog(asker.page).getByLabel('Reason').fill('the tea was cold');
  await asker.page.keyboard.press('Enter');
  await dialogClosed(asker.page);
  await asker.page.getByText('Refund: needs a second approver.').waitFor();
  const waiting = asker.page.getByRole('region', { name: 'Refunds awaiting approval' });
  await waiting.getByText('the tea was cold').waitFor();
  expect(await button(asker.page, 'Approve').getAttribute('aria-description')).toContain(
    'You cannot decide your own request',
  );
  await button(asker.page, 'Approve').click({ force: true });
  expect(await dialog(asker.page).count()).toBe(0);
  expect(await refundsOf(payment['id'])).toEqual([]);
  await expectAccessible(asker.page);
  expect(asker.complaints).toEqual([]);
  await asker.context.close();

  const other = await world.windowOf(await world.staff('hubadmin'));
  await other.open('/test');
  await other.page.getByRole('main').getByRole('link', { name: 'Refund approvals' }).click();
  await heading(other.page, 'Refund approvals').waitFor();
  await other.page.getByText('the tea was cold').waitFor();
  await expectAccessible(other.page);
  await tabToButton(other.page, 'Approve');
  await other.page.keyboard.press('Enter');
  await dialog(other.page).getByLabel('Reason').waitFor();
  await dialog(other.page).getByLabel('Reason').focus();
  await other.page.keyboard.type('seen the photo');
  await other.page.keyboard.press('Enter');
  await dialogClosed(other.page);
  await other.page.getByText('No requests match these filters.').waitFor();
  expect(await refundsOf(payment['id'])).toEqual(['2000 succeeded']);
  expect(other.complaints).toEqual([]);
  await other.context.close();
});

test('a request is rejected with a reason that who asked sees, and another one is withdrawn', {
  timeout: 90_000,
}, async () => {
  const { prisma } = world.platform.services;
  await limitRefunds(world.platform.services, 2000);
  const { payment } = await world.account.charge();
  const [asker, other] = [await world.staff('hubadmin'), await world.staff('superadmin')];
  const askFor = () =>
    asker.graphql(
      `mutation { refundPayment(input: { paymentId: "${payment['id']}" }, reason: "late") { __typename } }`,
    );
  await askFor();
  const decide = async (person: typeof asker, name: string, reason: string) => {
    const { context, page, open } = await world.windowOf(person);
    await open(`/test/payments/${payment['id']}`);
    await button(page, name).click();
    await dialog(page).getByLabel('Reason').fill(reason);
    await dialog(page).getByLabel('Reason').press('Enter');
    await dialogClosed(page);
    await page.getByText(reason).first().waitFor();
    await context.close();
  };
  await decide(other, 'Reject', 'was delivered on time');
  await askFor();
  await decide(asker, 'Withdraw', 'asked by mistake');
  expect(await refundsOf(payment['id'])).toEqual([]);
  const requests = await prisma.refundRequest.findMany({ where: { paymentId: String(payment['id']) } });
  expect(requests.map(({ status }) => status).sort()).toEqual(['rejected', 'withdrawn']);
});
