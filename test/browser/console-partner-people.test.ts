// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliverWebhooks } from '../../src/domains/webhooks/deliveries/jobs.ts';
import { password } from '../iam/people.ts';
import {
  button,
  type ConsoleWorld,
  dialog,
  dialogClosed,
  heading,
  links,
  loaded,
  startConsoleWorld,
} from '../support/console.ts';
import { startReceiver } from '../support/receiver.ts';
import { limitRefunds } from '../support/refund-limit.ts';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(() => world?.close());

/** Does an action of a page with a reason. */
async function act(page: Page, name: string, reason: string, fill?: () => Promise<unknown>): Promise<void> {
  await button(page, name).first().click();
  await fill?.();
  await dialog(page).getByLabel('Reason').fill(reason);
  await dialog(page).getByLabel('Reason').press('Enter');
  await dialogClosed(page);
}

test('a partneradmin in support finds and refunds a payment, asks a second one above the limit, revokes a sub-key and reads the audit log', {
  timeout: 150_000,
}, async () => {
  const { account, partner, platform } = world;
  const { prisma } = platform.services;
  await limitRefunds(platform.services, 2000);
  const { payment } = await account.charge();
  const paymentId = String(payment['id']);
  const leaked = await partner.api.ok(`/accounts/${account.id}/api-keys`, { label: 'shop in a public repository' });
  const internal = await world.staff('hubadmin');
  await internal.graphql(
    `mutation { refundPayment(input: { paymentId: "${paymentId}", amount: 100 }, reason: "secret of the hub") { __typename } }`,
  );
  const [first, second] = [await world.ofPartner('partneradmin'), await world.ofPartner('partneradmin')];
  const { context, page, complaints, open } = await world.windowOf(null);
  await open('/test');
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Email').fill(first.email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await heading(page, 'Overview').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').locator('input').fill(paymentId);
  await page.getByRole('option', { name: /payment partially/ }).waitFor();
  await page.keyboard.press('Enter');
  await heading(page, /\$25\.00/).waitFor();
  await page.getByText('refundPayment by internal staff').waitFor();

  await act(page, 'Refund', 'one cup was broken', () => dialog(page).getByLabel('Amount in USD').fill('5'));
  await page.getByText('refund of $5.00').waitFor();
  await act(page, 'Refund', 'all cups were broken', async () => {
    await dialog(page).getByLabel('Amount in USD').fill('19');
    await dialog(page).getByText('Nothing is refunded until then').waitFor();
  });
  await page.getByRole('region', { name: 'Refunds awaiting approval' }).waitFor();
  expect(await button(page, 'Approve').getAttribute('aria-description')).toContain(
    'You cannot decide your own request',
  );

  const other = await world.windowOf(second);
  await other.open('/test');
  await other.page.getByRole('main').getByRole('link', { name: 'Refund approvals' }).click();
  await other.page.getByText('all cups were broken').waitFor();
  await act(other.page, 'Approve', 'seen the photo');
  await other.page.getByText('No requests match these filters.').waitFor();
  expect(other.complaints).toEqual([]);
  await other.context.close();
  const refunds = await prisma.refund.findMany({ where: { paymentId }, orderBy: { createdAt: 'asc' } });
  expect(refunds.map(({ amount, status }) => `${amount} ${status}`)).toEqual([
    '100 succeeded',
    '500 succeeded',
    '1900 succeeded',
  ]);

  await open(`/test/api-keys?platformAccountId=${account.id}`);
  const row = page.getByRole('row', { name: /shop in a public repository/ });
  await row.getByRole('button', { name: 'Revoke' }).click();
  await dialog(page).getByLabel('Reason').fill('it was in a repository');
  await dialog(page).getByLabel('Reason').press('Enter');
  await dialogClosed(page);
  await row.getByText('revoked').waitFor();
  expect(await prisma.apiKey.findUniqueOrThrow({ where: { id: leaked.id } })).toMatchObject({
    revokedAt: expect.any(Date),
  });

  await links(page)
    .filter({ hasText: /^Audit log$/ })
    .click();
  await heading(page, 'Audit log').waitFor();
  await loaded(page);
  const log = page.locator('main').last();
  await page
    .getByRole('row', { name: new RegExp(`refundPayment allowed .*one cup was broken .*${first.email}`) })
    .waitFor();
  await page
    .getByRole('row', { name: new RegExp(`approveRefundRequest allowed .*seen the photo .*${second.email}`) })
    .waitFor();
  await page
    .getByRole('row', { name: new RegExp(`revokeApiKey allowed .*it was in a repository .*${first.email}`) })
    .waitFor();
  await page.getByRole('row', { name: /refundPayment allowed .*Internal staff/ }).waitFor();
  expect(await page.getByRole('link', { name: 'internal staff' }).count()).toBe(0);
  const text = await log.innerText();
  expect(text).not.toContain(internal.email);
  expect(text).not.toContain('secret of the hub');
  expect(complaints).toEqual([]);
  await context.close();
});

test('a partneradmin who develops sees why a webhook failed, sends it again, switches the endpoint and tests it; an accountmanager reads the same', {
  timeout: 150_000,
}, async () => {
  const { account, platform } = world;
  let status = 500;
  const receiver = await startReceiver(() => status);
  const { id } = await account.api.ok('/webhooks', { url: receiver.url, eventTypes: ['payment/succeeded'] });
  const { payment } = await account.charge();
  await deliverWebhooks(platform.services);
  const { context, page, complaints, open } = await world.windowOf(await world.ofPartner('partneradmin'));
  await open('/test');
  await page.getByRole('link', { name: 'Failing endpoints' }).click();
  await page.getByRole('link', { name: receiver.url }).click();
  await heading(page, /failing/).waitFor();
  const latest = page.getByRole('region', { name: 'Latest deliveries' });
  await latest.getByText('1 attempt, 500').waitFor();
  await latest.getByRole('link', { name: 'payment/succeeded' }).click();
  await heading(page, 'payment/succeeded').waitFor();
  await page.getByText('Attempt 1: 500').waitFor();
  await page.getByText(String(payment['id'])).first().waitFor();
  const eventPath = new URL(page.url()).pathname.replace('/console', '');

  status = 200;
  await act(page, 'Resend', 'the receiver is back');
  await deliverWebhooks(platform.services);
  await page.getByText('Attempt 2: 200').waitFor();
  await open(`/test/endpoints/${id}`);
  await act(page, 'Disable', 'it moves');
  await heading(page, /disabled/).waitFor();
  await act(page, 'Enable', 'it has moved');
  await heading(page, /healthy/).waitFor();
  await act(page, 'Send a test event', 'does it listen');
  await deliverWebhooks(platform.services);
  await page.getByRole('row', { name: /webhook\/test delivered 1 attempt, 200/ }).waitFor();
  expect(receiver.received.at(-1)?.event.type).toBe('webhook/test');
  expect(complaints).toEqual([]);
  await context.close();

  const reader = await world.windowOf(await world.ofPartner('accountmanager'));
  await reader.open(eventPath);
  await reader.page.getByText('Attempt 1: 500').waitFor();
  await button(reader.page, 'Resend').hover();
  await reader.page.getByRole('tooltip', { name: /Requires the role hubadmin, or partneradmin/ }).waitFor();
  expect(reader.complaints).toEqual([]);
  await reader.context.close();
  await receiver.close();
});
