// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt src/domains
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliverWebhooks } from '../../src/domains/webhooks/deliveries/jobs.ts';
import { button, type ConsoleWorld, dialog, heading, startConsoleWorld } from '../support/console.ts';
import { doTask, type Operator } from '../support/console-task.ts';
import { startReceiver } from '../support/receiver.ts';
import { priceOf } from '../support/subscriptions.ts';

// The everyday tasks of an operator, each from the overview in at most five clicks and without a typed identifier.
let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(() => world?.close());

const sectionOf = ({ page }: Operator, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });

/** A payment of an amount that no other has. */
async function charge(amount: number, more: Record<string, unknown> = {}) {
  const { payment } = await world.account.charge('tok_visa', { amount, ...more });
  return String(payment['id']);
}

const paymentOf = (id: string) => world.platform.services.prisma.payment.findUniqueOrThrow({ where: { id } });

test('find a payment by its amount', async () => {
  await charge(4217);
  await doTask(world, {}, async (operator) => {
    await operator.search('42.17', 'Payments of “42.17”');
    await operator.openRow(/\$42\.17/);
    await heading(operator.page, /\$42\.17/).waitFor();
  });
});

test("find a payment by the customer's email address", async () => {
  const { customerId } = await paymentOf(await charge(4218));
  const { email } = await world.platform.services.prisma.customer.findUniqueOrThrow({ where: { id: customerId } });
  await doTask(world, {}, async (operator) => {
    await operator.search(email, /^customer/);
    await operator.openRow(/\$42\.18/);
    await heading(operator.page, /\$42\.18/).waitFor();
  });
});

test('refund a part of a payment', async () => {
  const id = await charge(4219);
  await doTask(world, {}, async (operator) => {
    await operator.search('42.19', 'Payments of “42.19”');
    await operator.openRow(/\$42\.19/);
    await heading(operator.page, /\$42\.19/).waitFor();
    await operator.press('r');
    await operator.type(dialog(operator.page).getByLabel('Amount in USD'), '1.50');
    await operator.send('one item was missing');
  });
  expect((await paymentOf(id)).refundedAmount).toBe(150n);
});

test('capture an authorized payment', async () => {
  const id = await charge(4220, { mode: 'auth' });
  await doTask(world, {}, async (operator) => {
    await operator.follow('Pending payments');
    await operator.openRow(/\$42\.20/);
    await operator.click(button(operator.page, 'Capture'));
    await operator.send('the order was sent');
  });
  expect((await paymentOf(id)).status).toBe('succeeded');
});

test('block the card of a payment, whose next charge is declined', async () => {
  const { id: paymentInstrumentId } = await world.account.instrument('5555555555554444');
  const next = async (amount: number) =>
    (await world.account.api.ok('/payments/process', { paymentInstrumentId, amount, currency: 'USD' })).payment;
  await next(4230);
  await doTask(world, {}, async (operator) => {
    await operator.search('42.30', 'Payments of “42.30”');
    await operator.openRow(/\$42\.30/);
    await operator.click(button(operator.page, 'Block'));
    await operator.send('used with a stolen card');
  });
  expect(await next(4231)).toMatchObject({ status: 'declined', failureCode: 'blocked_by_rule' });
});

test('see why a payment was declined, and the attempts at the processor', async () => {
  await world.account.charge('tok_visa_insufficient', { amount: 4221 });
  await doTask(world, {}, async (operator) => {
    await operator.search('42.21', 'Payments of “42.21”');
    await operator.openRow(/\$42\.21/);
    const { page } = operator;
    await page.getByText('Failure reason').waitFor();
    await sectionOf(operator, 'Timeline').getByText('insufficient_funds').first().waitFor();
  });
});

test('list the declined payments of a merchant, by its name', async () => {
  const other = await world.partner.account('Declined Bakery');
  await other.charge('tok_visa_insufficient', { amount: 4222 });
  await other.charge('tok_visa', { amount: 4223 });
  await doTask(world, {}, async (operator) => {
    const { page } = operator;
    await operator.click(button(page, 'Filter'));
    await operator.click(dialog(page).getByRole('button', { name: 'Account', exact: true }));
    await operator.type(dialog(page).getByLabel('Account', { exact: true }), 'Declined Bakery');
    await operator.press('Enter');
    await button(page, 'Account: Declined Bakery').waitFor();
    await operator.click(sectionOf(operator, 'Decline reasons').getByRole('link', { name: 'View all' }));
    await heading(page, 'Payments').waitFor();
    await operator.row(/\$42\.22/).waitFor();
    await button(page, 'Account: Declined Bakery').waitFor();
    await button(page, 'Status: declined').waitFor();
    expect(await operator.row(/\$/).count()).toBe(1);
  });
});

test('list the refunded payments of a merchant, by its name and their status', async () => {
  const other = await world.partner.account('Refunded Bakery');
  const { payment } = await other.charge('tok_visa', { amount: 4226 });
  await other.api.ok('/payments/refund', { paymentId: payment['id'] });
  await other.charge('tok_visa', { amount: 4227 });
  await doTask(world, {}, async (operator) => {
    const { page } = operator;
    await operator.goTo('Payments');
    await operator.click(button(page, 'Filter by Account'));
    await operator.type(dialog(page).getByLabel('Account', { exact: true }), 'Refunded Bakery');
    await operator.press('Enter');
    await button(page, 'Account: Refunded Bakery').waitFor();
    await operator.click(button(page, 'Filter by Status'));
    await operator.click(page.getByRole('option', { name: 'refunded', exact: true }));
    await operator.row(/\$42\.27/).waitFor({ state: 'detached' });
    await operator.row(/\$42\.26/).waitFor();
  });
});

test("export this month's payments", async () => {
  const id = await charge(4224);
  await doTask(world, {}, async (operator) => {
    const { page } = operator;
    await operator.click(page.getByRole('combobox', { name: 'Period' }));
    await operator.click(page.getByRole('option', { name: 'This month' }));
    const currencies = sectionOf(operator, 'By currency');
    await expect
      .poll(() => currencies.getByRole('link', { name: 'View all' }).getAttribute('href'))
      .toMatch(/since=\S+-01&/);
    await operator.click(currencies.getByRole('link', { name: 'View all' }));
    await heading(page, 'Payments').waitFor();
    await operator.row(/\$42\.24/).waitFor();
    await operator.press('e');
    const saved = page.waitForEvent('download');
    await operator.click(dialog(page).getByRole('button', { name: 'Export' }));
    expect(readFileSync(await (await saved).path(), 'utf8')).toContain(id);
  });
});

test('resend a failed webhook delivery, and disable the endpoint that fails', async () => {
  const { account, platform } = world;
  let status = 500;
  const receiver = await startReceiver(() => status);
  const { id } = await account.api.ok('/webhooks', { url: receiver.url, eventTypes: ['payment/succeeded'] });
  await charge(4225);
  await deliverWebhooks(platform.services);
  await doTask(world, {}, async (operator) => {
    await operator.follow('Failing endpoints');
    await operator.openRow(receiver.url);
    await operator.click(button(operator.page, 'Resend').first());
    await operator.send('the server is back');
  });
  status = 200;
  await deliverWebhooks(platform.services);
  expect(await platform.services.prisma.webhookDelivery.count({ where: { endpointId: id, status: 'delivered' } })).toBe(
    1,
  );
  status = 500;
  await charge(4226);
  await deliverWebhooks(platform.services);
  await doTask(world, {}, async (operator) => {
    await operator.follow('Failing endpoints');
    await operator.openRow(receiver.url);
    await operator.click(button(operator.page, 'Disable'));
    await operator.send('the server is gone');
  });
  expect(await platform.services.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id } })).toMatchObject({
    enabled: false,
  });
  await receiver.close();
});

test('cancel the subscription of a customer', async () => {
  const { account, platform } = world;
  const { id: paymentInstrumentId, customerId } = await account.instrument();
  const priceId = await priceOf(account);
  const { id } = await account.api.ok('/subscriptions/create', { customerId, paymentInstrumentId, priceId });
  const { email } = await platform.services.prisma.customer.findUniqueOrThrow({ where: { id: customerId } });
  await doTask(world, {}, async (operator) => {
    await operator.search(email, /^customer/);
    await operator.openRow(/\$10\.00.*active/);
    await heading(operator.page, /active/).waitFor();
    await operator.click(button(operator.page, 'Cancel'));
    await operator.send('moves house');
  });
  expect(await platform.services.prisma.subscription.findUniqueOrThrow({ where: { id } })).toMatchObject({
    cancelAtPeriodEnd: true,
  });
});

test('see which disputes need a response, and open the one that is due first', async () => {
  const id = await charge(4227);
  await world.account.api.ok('/test-disputes/create', { paymentId: id });
  await doTask(world, {}, async (operator) => {
    await operator.follow('Disputes needing response');
    await operator.openRow(/\$42\.27/);
    await operator.page
      .getByRole('note')
      .getByText(/Respond by/)
      .waitFor();
  });
});
