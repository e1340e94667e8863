// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deliverWebhooks } from '../../src/domains/webhooks/deliveries/jobs.ts';
import { violations } from '../support/axe.ts';
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

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(() => world?.close());

describe('the export of a list', () => {
  test('saves the rows that the filters of the page match, with the rights of the person', async () => {
    const refused = (await world.account.charge('tok_visa_insufficient')).payment['id'];
    await world.account.charge();
    const { context, page, open, complaints } = await world.windowOf(await world.ofPartner('partneradmin'));
    await open('/test/payments?status=declined');
    await loaded(page);
    await button(page, 'Export').click();
    await dialog(page).getByText('The 1 row that matches').waitFor();
    const saved = page.waitForEvent('download');
    await dialog(page).getByRole('button', { name: 'Export' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toMatch(/^payments-test-\d{4}-\d\d-\d\d\.csv$/);
    const lines = readFileSync(await file.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines.map((line) => line.split(',')[0])).toEqual(['\uFEFFid', refused]);
    await dialogClosed(page);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('a file that is broken off is not saved, and the dialog says so', async () => {
    await world.account.charge();
    const { page, open } = await world.hubTab();
    let downloads = 0;
    page.on('download', () => (downloads += 1));
    await page.route('**/exports/*', (route) => route.abort());
    await open('/test/payments');
    await loaded(page);
    await button(page, 'Export').click();
    await dialog(page).getByRole('button', { name: 'Export' }).click();
    await dialog(page).getByRole('alert').getByText('did not respond').waitFor();
    expect(downloads).toBe(0);
    await page.unroute('**/exports/*');
    const saved = page.waitForEvent('download');
    await dialog(page).getByRole('button', { name: 'Export' }).click();
    await saved;
    await page.close();
  });

  test('is offered on every other list', async () => {
    const { page, open } = await world.hubTab();
    await open('/test');
    for (const name of [
      'Disputes',
      'Customers',
      'Orders',
      'Subscriptions',
      'Accounts',
      'KYB reviews',
      'Events',
      'Webhook deliveries',
      'Audit log',
    ]) {
      await links(page)
        .filter({ hasText: new RegExp(`^${name}$`) })
        .click();
      await heading(page, name).waitFor();
      await button(page, 'Export').waitFor();
    }
    await page.close();
  });
});

describe('the delivery inspector', () => {
  test('shows the body and the headers of each attempt, and copies the bytes that were sent', async () => {
    const receiver = await startReceiver(() => 500);
    await world.account.api.ok('/webhooks', { url: receiver.url, eventTypes: ['payment/succeeded'] });
    const { payment } = await world.account.charge();
    await deliverWebhooks(world.platform.services);
    const { context, page, open, complaints } = await world.windowOf(await world.staff('hubadmin'));
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(`/test/payments/${payment['id']}`);
    await button(page, '1 attempt, 500').click();
    const [sent] = receiver.received;
    await dialog(page)
      .getByLabel('Request headers', { exact: true })
      .getByText(`webhook-id: ${sent?.event.id}`)
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog(page)
      .getByRole('button', { name: /^Copy: Request body/ })
      .click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(sent?.text);
    expect(complaints).toEqual([]);
    await context.close();
    await receiver.close();
  });
});

describe('an object that is not there for the person', () => {
  test('the page says so, and is no error', async () => {
    const [admin, hub] = [
      await world.windowOf(await world.ofPartner('partneradmin')),
      await world.windowOf(await world.staff('hubadmin')),
    ];
    for (const [{ page, open }, path, sentence] of [
      [admin, 'customers/cus_none', 'Customer not found.'],
      [admin, 'orders/ord_none', 'Order not found.'],
      [admin, 'subscriptions/sub_none', 'Subscription not found.'],
      [admin, 'payments/pay_none', 'Payment not found.'],
      [hub, 'events/evt_none', 'Event not found.'],
    ] as const) {
      await open(`/test/${path}`);
      await page.getByText(sentence).waitFor();
      expect(await page.getByRole('alert').count(), path).toBe(0);
    }
    await admin.context.close();
    await hub.context.close();
  });

  test('an object of the other mode is shown in its own mode, also where the link names the wrong one', async () => {
    const { payment } = await world.account.charge();
    const { page, open } = await world.hubTab();
    for (const path of [`payments/${payment['id']}`, `customers/${payment['customerId']}`]) {
      await open(`/live/${path}`);
      await page.waitForURL(`**/console/test/${path}`);
      await heading(page, /./).waitFor();
    }
    await page.close();
  });
});

test('a sub-key is revoked with a reason, and is refused from then on', async () => {
  const { id, secret } = await world.partner.api.ok(`/accounts/${world.account.id}/api-keys`, { label: 'leaked key' });
  const { page, open } = await world.hubTab();
  await open('/test/api-keys');
  const row = page.getByRole('row', { name: /leaked key/ });
  await row.getByRole('button', { name: 'Revoke' }).click();
  await dialog(page).getByLabel('Reason').fill('found in a public repository');
  await dialog(page).getByLabel('Reason').press('Enter');
  await dialogClosed(page);
  await row.getByText('revoked').waitFor();
  const answer = await fetch(`${world.platform.url}/api/public/v1/auth/test`, {
    headers: { Authorization: `Bearer ${secret}` },
  });
  expect(answer.status).toBe(401);
  const [audited] = await world.platform.services.prisma.auditRow.findMany({
    where: { target: id, outcome: 'allowed', action: 'revokeApiKey' },
  });
  expect(JSON.stringify(audited?.after)).toContain('found in a public repository');
  await page.close();
});

test('no dialog has a finding of axe', async () => {
  const { payment } = await world.account.charge();
  const { context, page, open } = await world.windowOf(await world.staff('hubadmin'), { reducedMotion: 'reduce' });
  for (const [path, name] of [
    ['payments', 'Export'],
    [`payments/${payment['id']}`, 'Refund'],
    ['audit', 'Show'],
  ] as const) {
    await open(`/test/${path}`);
    await loaded(page);
    await button(page, name).first().click();
    await dialog(page).waitFor();
    expect(await violations(page), name).toEqual([]);
  }
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.locator('input:focus').waitFor();
  expect(await violations(page), 'the search').toEqual([]);
  await context.close();
});
