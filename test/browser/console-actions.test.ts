// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  button,
  type ConsoleWorld,
  dialog,
  dialogClosed,
  filterBy,
  heading,
  loseAnswer,
  openFilter,
  startConsoleWorld,
} from '../support/console.ts';
import { seedPartner } from '../support/seed.ts';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(() => world?.close());

describe("an operator's day", () => {
  test('finds a payment by email, refunds a part with a reason, and sees both in its timeline', async () => {
    const { payment } = await world.account.charge();
    const customer = await world.platform.services.prisma.customer.findUniqueOrThrow({
      where: { id: String(payment['customerId']) },
    });
    const { page, open, complaints } = await world.hubTab();
    await open('/test/payments');
    await filterBy(page, 'Customer email', customer.email);
    await expect.poll(() => new URL(page.url()).searchParams.get('customerEmail')).toBe(customer.email);
    await page
      .getByRole('row', { name: new RegExp(customer.email) })
      .getByRole('link')
      .first()
      .click();
    await button(page, 'Refund').click();
    await dialog(page).getByLabel('Amount in USD').fill('1.5');
    await dialog(page).getByLabel('Reason').fill('one item was missing');
    await dialog(page).getByLabel('Reason').press('Enter');
    await dialogClosed(page);
    await page.getByText('refund of $1.50').waitFor();
    await page.getByText('one item was missing').waitFor();
    expect(await refundsOf(payment['id'])).toEqual([150]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('finds a charge without an identifier, by amount, day and reason; back takes the filters away one by one', async () => {
    const { account } = world;
    const refused = await account.charge('tok_visa_insufficient');
    const customer = await world.platform.services.prisma.customer.findUniqueOrThrow({
      where: { id: String(refused.payment['customerId']) },
    });
    await account.charge();
    const { page, open, complaints } = await world.hubTab();
    await open('/test/payments');
    const show = async (label: string, value: string, key: string): Promise<void> => {
      await filterBy(page, label, value);
      await expect.poll(() => new URL(page.url()).searchParams.get(key)).toBe(value);
    };
    await show('Amount', '25.00', 'amount');
    await show('Account', account.id, 'platformAccountId');
    const today = new Date().toISOString().slice(0, 10);
    await show('Created until', today, 'until');
    await page
      .getByRole('row', { name: /succeeded/ })
      .first()
      .waitFor();
    await openFilter(page, 'Reason');
    await page.getByRole('option', { name: 'insufficient funds' }).click();
    await heading(page, 'Payments').click();
    const row = page.getByRole('row', { name: new RegExp(customer.email) });
    await row.waitFor();
    await expect.poll(() => page.getByRole('row', { name: /succeeded/ }).count()).toBe(0);
    await show('Created until', '2020-01-01', 'until');
    await page.getByText('No payments match').waitFor();
    await page.goBack();
    await row.waitFor();
    await page.goBack();
    await page
      .getByRole('row', { name: /succeeded/ })
      .first()
      .waitFor();
    await show('Amount', 'twenty', 'amount');
    await page.getByRole('alert').getByText('filters.amount').first().waitFor();
    expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([]);
    await page.close();
  });

  test('sees what an account processed by currency in chosen days, and comes to its payments; finds the account by name', async () => {
    const today = (): string => new Date().toISOString().slice(0, 10);
    const from = today();
    await world.account.charge();
    const { context, page, open, complaints } = await world.windowOf(await world.staff('accountmanager'));
    await open('/test');
    await page.getByRole('combobox', { name: 'Period' }).click();
    await page.getByRole('option', { name: 'Custom', exact: true }).click();
    const to = today();
    for (const [label, value] of [
      ['From', from],
      ['To', to],
      ['Account', world.account.id],
    ] as const) {
      await filterBy(page, label, value);
      await expect.poll(() => new URL(page.url()).searchParams.get(label.toLowerCase())).toBe(value);
    }
    const row = page.getByRole('region', { name: 'By currency' }).getByRole('row', { name: /USD/ });
    await row.getByRole('link', { name: 'USD' }).click();
    await page
      .getByRole('row', { name: /\$25\.00 succeeded/ })
      .first()
      .waitFor();
    expect(new URL(page.url()).search).toBe(
      `?since=${from}&until=${to}&platformAccountId=${world.account.id}&currency=USD`,
    );
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').locator('input').fill('corner');
    await page.getByRole('option', { name: /^account Corner Shop/ }).click();
    await page.getByRole('heading', { level: 1, name: /Corner Shop/ }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('an answer that is lost: the fields are locked, the same call is sent again, and there is one refund', async () => {
    const { page, paymentId } = await refundOf2WithoutAnswer();
    expect(await dialog(page).getByLabel('Reason').inputValue()).toBe('asked for it');
    expect(await dialog(page).getByLabel('Reason').isDisabled()).toBe(true);
    expect(await dialog(page).getByLabel('Amount in USD').isDisabled()).toBe(true);
    await dialog(page).getByRole('button', { name: 'Try again' }).click();
    await dialogClosed(page);
    expect(await refundsOf(paymentId)).toEqual([200]);
    await page.close();
  });

  test('an answer that is lost outlives its dialog, a lost session and 429: the third attempt makes no second refund', async () => {
    const { page, paymentId } = await refundOf2WithoutAnswer();
    await closeDialog(page);
    await page.getByText('refund of $2.00').waitFor();
    for (const [status, code, text] of [
      [401, 'NOT_AUTHORIZED', 'Your session has ended'],
      [429, 'TOO_MANY_REQUESTS', 'Not now.'],
    ] as const) {
      await button(page, 'Refund').click();
      expect(await dialog(page).getByLabel('Amount in USD').inputValue()).toBe('2');
      expect(await dialog(page).getByLabel('Amount in USD').isDisabled()).toBe(true);
      await page.route('**/graphql', (route) => route.fulfill({ status, json: { code, message: 'Not now.' } }), {
        times: 1,
      });
      await dialog(page).getByRole('button', { name: 'Try again' }).click();
      await dialog(page).getByText(text).waitFor();
      await dialog(page).getByText('Result unknown').waitFor();
      await closeDialog(page);
    }
    await button(page, 'Refund').click();
    await dialog(page).getByRole('button', { name: 'Try again' }).click();
    await dialogClosed(page);
    expect(await refundsOf(paymentId)).toEqual([200]);
    await page.close();
  });

  test('a dialog that is closed while its refund runs shows the same refund when it is opened again', async () => {
    const { payment } = await world.account.charge();
    const { page, open } = await world.hubTab();
    await open(`/test/payments/${payment['id']}`);
    const answer = Promise.withResolvers<void>();
    await typeRefund(page, '2');
    await page.route('**/graphql', (route) => answer.promise.then(() => route.continue()));
    await dialog(page).getByLabel('Reason').press('Enter');
    await closeDialog(page);
    await button(page, 'Refund').click();
    expect(await dialog(page).getByRole('button', { name: 'Refund' }).isDisabled()).toBe(true);
    answer.resolve();
    await dialogClosed(page);
    await page.getByText('refund of $2.00').waitFor();
    expect(await refundsOf(payment['id'])).toEqual([200]);
    await page.close();
  });

  test('every action has an Idempotency-Key: two attempts to create a partner key send the same call and make one', async () => {
    const { page, open } = await world.hubTab();
    await open(`/test/partners/${world.partner.slug}`);
    await page.getByRole('button', { name: 'Create test key' }).click();
    await dialog(page).getByLabel('Label').fill('night batch');
    await dialog(page).getByLabel('Reason').fill('a new server');
    await loseAnswer(page);
    await dialog(page).getByLabel('Label').press('Enter');
    await dialog(page).getByText('Result unknown. Retrying is safe: it cannot run twice.').waitFor();
    expect(await dialog(page).getByLabel('Label').isDisabled()).toBe(true);
    await dialog(page).getByRole('button', { name: 'Try again' }).click();
    await dialogClosed(page);
    const made = { partnerId: world.partner.id, label: 'night batch' };
    expect(await world.platform.services.prisma.partnerKeyRequest.count({ where: made })).toBe(1);
    await page.close();
  });

  test('an amount above what is left is refused with the reason, changes nothing, and keeps what was typed', async () => {
    const { payment } = await world.account.charge();
    const { page, open } = await world.hubTab();
    await open(`/test/payments/${payment['id']}`);
    await button(page, 'Refund').click();
    await dialog(page).getByLabel('Amount in USD').fill('999999');
    await dialog(page).getByLabel('Reason').fill('too much');
    await dialog(page).getByLabel('Reason').press('Enter');
    await dialog(page).getByRole('alert').waitFor();
    expect(await dialog(page).getByLabel('Amount in USD').inputValue()).toBe('999999');
    expect(await refundsOf(payment['id'])).toEqual([]);
    await page.close();
  });

  test('a session that ended meanwhile says so and keeps what was typed', async () => {
    const { payment } = await world.account.charge();
    const { context, page, open } = await world.windowOf(await world.staff('hubadmin'));
    await open(`/test/payments/${payment['id']}`);
    await button(page, 'Refund').click();
    await dialog(page).getByLabel('Reason').fill('typed before');
    await context.clearCookies();
    await dialog(page).getByLabel('Reason').press('Enter');
    await dialog(page).getByText('Your session has ended').waitFor();
    expect(await dialog(page).getByLabel('Reason').inputValue()).toBe('typed before');
    expect(await refundsOf(payment['id'])).toEqual([]);
    await context.close();
  });

  test('a role that was taken away meanwhile is named, and keeps what was typed', async () => {
    const { payment } = await world.account.charge();
    const hubadmin = await world.staff('hubadmin');
    const { context, page, open } = await world.windowOf(hubadmin);
    await open(`/test/payments/${payment['id']}`);
    await typeRefund(page, '2');
    const superadmin = await world.staff('superadmin');
    const taken = await superadmin.iam('/internal-users/set-roles', { userId: hubadmin.id, roles: [] });
    expect(taken.status).toBe(200);
    await dialog(page).getByLabel('Reason').press('Enter');
    await dialog(page).getByText('Requires the role superadmin, hubadmin').waitFor();
    expect(await dialog(page).getByLabel('Reason').inputValue()).toBe('asked for it');
    expect(await refundsOf(payment['id'])).toEqual([]);
    await context.close();
  });

  test('a payment that another user refunded meanwhile: the dialog says so, and what is left', async () => {
    const { payment } = await world.account.charge();
    const { page, open } = await world.hubTab();
    await open(`/test/payments/${payment['id']}`);
    await typeRefund(page, '20');
    await world.account.api.ok('/payments/refund', { paymentId: payment['id'], amount: 1000 });
    await dialog(page).getByLabel('Reason').press('Enter');
    await dialog(page).getByText('Refunded changed from $0.00 to $10.00.').waitFor();
    expect(await dialog(page).getByLabel('Amount in USD').inputValue()).toBe('20');
    await dialog(page).getByText('At most $15.00 can be refunded.').waitFor();
    await page.keyboard.press('Enter');
    await dialog(page).getByText('amount must be at most').first().waitFor();
    expect(await refundsOf(payment['id'])).toEqual([1000]);
    await page.close();
  });

  test('without a network the page says so, keeps its filters, and goes on when the network is back', async () => {
    await world.account.charge('4000000000000002');
    const { context, page, open } = await world.windowOf(await world.staff('hubadmin'));
    await open('/test/payments');
    await page.getByRole('row').nth(1).waitFor();
    await context.setOffline(true);
    await filterBy(page, 'Last four digits', '0002');
    await page.getByText('No connection').waitFor();
    await button(page, 'Last four digits: 0002').waitFor();
    await context.setOffline(false);
    await page.getByRole('row', { name: /0002/ }).first().waitFor();
    await context.close();
  });

  test('live is asked twice, and readers see why a button is disabled', async () => {
    const partner = await seedPartner(world.platform, 'live');
    const live = await partner.account('Live Shop');
    const { page, open } = await world.hubTab();
    await open(`/live/accounts/${live.id}`);
    await page.getByRole('button', { name: 'Suspend' }).click();
    await dialog(page).getByLabel('Reason').fill('too many disputes');
    expect(await dialog(page).getByRole('button', { name: 'Suspend' }).isDisabled()).toBe(true);
    await dialog(page).getByLabel('Live mode. Type').fill('LIVE');
    await dialog(page).getByRole('button', { name: 'Suspend' }).click();
    await dialogClosed(page);
    await page.getByRole('button', { name: 'Activate' }).waitFor();
    await page.close();
    const reader = await world.windowOf(await world.staff('accountmanager'));
    await reader.open(`/live/accounts/${live.id}`);
    const activate = reader.page.getByRole('button', { name: 'Activate' });
    expect(await activate.getAttribute('aria-description')).toContain('Requires the role superadmin, hubadmin');
    // A click that a person makes, although the button says that it is disabled.
    await activate.click({ force: true });
    expect(await dialog(reader.page).count()).toBe(0);
    await reader.context.close();
  });
});

async function closeDialog(page: Page): Promise<void> {
  await dialog(page).getByRole('button', { name: 'Go back', exact: true }).click();
  await dialogClosed(page);
}

async function typeRefund(page: Page, amount: string): Promise<void> {
  await button(page, 'Refund').click();
  await dialog(page).getByLabel('Amount in USD').fill(amount);
  await dialog(page).getByLabel('Reason').fill('asked for it');
}

async function refundOf2WithoutAnswer() {
  const { payment } = await world.account.charge();
  const { page, open } = await world.hubTab();
  await open(`/test/payments/${payment['id']}`);
  await typeRefund(page, '2');
  await loseAnswer(page);
  await dialog(page).getByLabel('Reason').press('Enter');
  await dialog(page).getByText('Result unknown').waitFor();
  expect(await refundsOf(payment['id'])).toEqual([200]);
  return { page, paymentId: payment['id'] };
}

async function refundsOf(paymentId: unknown): Promise<number[]> {
  const refunds = await world.platform.services.prisma.refund.findMany({ where: { paymentId: String(paymentId) } });
  return refunds.map(({ amount }) => Number(amount));
}
