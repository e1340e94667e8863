// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt src/domains/test-clocks src/domains/processors
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
import { priceOf } from '../support/subscriptions.ts';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(() => world?.close());

/** A subscription of a customer on the test clock. */
async function subscribeOn(testClockId: string): Promise<string> {
  const { account } = world;
  const email = 'renewed@example.com';
  const { id: customerId } = await account.api.ok('/customers/create', { email, testClockId });
  const { token } = await account.api.ok('/payment-instruments/tokenize', {
    cardNumber: '4242424242424242',
    expMonth: 12,
    expYear: 2039,
    cvc: '123',
  });
  const { paymentInstrument } = await account.api.ok('/payment-instruments/create-from-token', {
    token,
    customerData: { email },
  });
  const { id } = await account.api.ok('/subscriptions/create', {
    customerId,
    paymentInstrumentId: paymentInstrument.id,
    priceId: await priceOf(account),
  });
  return id;
}

test('an admin of the partner makes a test clock in an account, and a leap of a month charges the renewal on it', {
  timeout: 150_000,
}, async () => {
  const { context, page, complaints, open } = await world.windowOf(await world.ofPartner('partneradmin'));
  await open(`/test/accounts/${world.account.id}`);
  await page.getByRole('main').getByRole('link', { name: 'Test clocks' }).click();
  await heading(page, 'Test clocks').waitFor();
  await button(page, 'Create test clock').click();
  await expect.poll(() => dialog(page).getByLabel('Account').inputValue()).toBe('Corner Shop');
  expect(await dialog(page).getByLabel('Account').getAttribute('title')).toBe(world.account.id);
  await dialog(page).getByLabel('Name').fill('a year of tea');
  await dialog(page).getByLabel('Clock time').fill('2026-03-10T10:00');
  await dialog(page).getByLabel('Clock time').press('Enter');
  await dialogClosed(page);
  await expectAccessible(page);
  const { id } = await world.platform.services.prisma.testClock.findFirstOrThrow({ where: { name: 'a year of tea' } });
  const subscriptionId = await subscribeOn(id);
  await page.getByRole('link', { name: 'a year of tea' }).click();
  await heading(page, /a year of tea/).waitFor();
  await page.getByRole('row', { name: /\$10\.00 \/ month active/ }).waitFor();
  await button(page, 'Advance').click();
  await dialog(page).getByRole('button', { name: '1 month' }).click();
  expect(await dialog(page).getByLabel('To (UTC').inputValue()).toBe('2026-04-10T10:00');
  await dialog(page).getByRole('button', { name: 'Advance' }).click();
  await dialogClosed(page);
  await page.getByText(/Advance: (done|goes on)/).waitFor();
  await expect
    .poll(() => world.platform.services.prisma.payment.count({ where: { subscriptionId, status: 'succeeded' } }))
    .toBe(2);
  await page
    .getByText(/^Apr 10/)
    .first()
    .waitFor();
  await expectAccessible(page);
  await page
    .getByRole('row', { name: /\$10\.00/ })
    .getByRole('link')
    .click();
  await page.getByRole('link', { name: 'a year of tea' }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('rows dated after today by a test clock do not head the newest lists: they are shown on request and by a filter', {
  timeout: 150_000,
}, async () => {
  const account = await world.partner.account('Clock Shop');
  const { id: testClockId } = await account.api.ok('/test-clocks/create', {
    name: 'far ahead',
    now: '2037-05-01T10:00:00Z',
  });
  const email = 'future@example.com';
  const { id: customerId } = await account.api.ok('/customers/create', { email, testClockId });
  await account.charge();
  const { id: paymentInstrumentId } = await account.instrument('4242424242424242', customerId);
  const amount = { amount: 2500, currency: 'USD' };
  await account.api.ok('/payments/process', { storeId: account.storeId, paymentInstrumentId, ...amount });
  const { context, page, complaints, open } = await world.windowOf(await world.staff('hubadmin'));
  const row = (name: string) => page.getByRole('row', { name });
  const pages = ['customers', 'payments', 'cards', 'events'];
  for (const name of pages) {
    await open(`/test/${name}`);
    await page.getByText('Rows dated after today by a test clock are hidden.').waitFor();
    await page.getByRole('row').nth(1).waitFor();
    expect(await row('2037').count(), name).toBe(0);
    await button(page, 'Show them').click();
    await row('2037').first().waitFor();
    expect(await button(page, 'Show them').count()).toBe(0);
  }
  await open(`/test/customers?email=${email}`);
  await row(email).waitFor();
  await open(`/test/payments?customerId=${customerId}`);
  await row('2037').waitFor();
  await expectAccessible(page);
  await open('/live/payments');
  await heading(page, 'Payments').waitFor();
  expect(await page.getByText('Rows dated after today').count()).toBe(0);
  await context.close();
  expect(complaints).toEqual([]);
});

test('a switch of a test processor declines the next charge; readers see why they may not, live mode has no clocks', {
  timeout: 150_000,
}, async () => {
  const account = await world.partner.account('Simulated Shop');
  const path = `/test/processors?platformAccountId=${account.id}`;
  const { context, page, complaints, open } = await world.windowOf(await world.staff('hubadmin'));
  await open(path);
  await page.getByText('no failures', { exact: true }).waitFor();
  await button(page, 'Simulate failures').click();
  await dialog(page).getByLabel('Declined').fill('100');
  await dialog(page).getByLabel('Decline code').fill('insufficient_funds');
  await dialog(page).getByRole('button', { name: 'Simulate failures' }).click();
  await dialogClosed(page);
  await page.getByText('declines 100% with insufficient_funds').waitFor();
  expect((await account.charge()).payment).toMatchObject({ status: 'declined', failureCode: 'insufficient_funds' });
  await button(page, 'Simulate failures').click();
  await dialog(page).getByLabel('Decline code').fill('bad luck');
  await dialog(page).getByRole('button', { name: 'Simulate failures' }).click();
  await dialog(page)
    .getByRole('alert')
    .getByText(/must be one of card_declined/)
    .first()
    .waitFor();
  expect(await dialog(page).getByLabel('Decline code').inputValue()).toBe('bad luck');
  await dialog(page).getByRole('button', { name: 'Go back', exact: true }).click();
  await dialogClosed(page);
  await expectAccessible(page);
  await context.close();
  expect(complaints).toEqual([]);

  const reader = await world.windowOf(await world.ofPartner('accountmanager'));
  await reader.open(path);
  expect(await button(reader.page, 'Simulate failures').getAttribute('aria-description')).toContain('partneradmin');
  await reader.open('/live');
  await heading(reader.page, 'Overview').waitFor();
  expect(await reader.page.getByRole('link', { name: 'Test clocks' }).count()).toBe(0);
  await reader.context.close();
});
