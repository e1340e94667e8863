// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deliverWebhooks } from '../../src/domains/webhooks/deliveries/jobs.ts';
import {
  button,
  type ConsoleWorld,
  dialog,
  dialogClosed,
  expectAccessible,
  isMutation,
  loaded,
  loseAnswer,
  startConsoleWorld,
  submit,
} from '../support/console.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { limitRefunds } from '../support/refund-limit.ts';
import { seedPartner } from '../support/seed.ts';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(() => world?.close());

const bar = (page: Page) => page.getByRole('toolbar', { name: 'Selected rows' });
const selected = (page: Page, count: number) => bar(page).getByText(`${count} selected`).waitFor();

async function begin(page: Page, name: string): Promise<void> {
  await bar(page).getByRole('button', { name, exact: true }).click();
  await dialog(page).getByLabel('Reason').fill('the receiver is back');
  await submit(page).click();
}

describe('resending the selected deliveries', () => {
  const count = 27;
  let receiver: Receiver;
  let made: { endpoint: string; partner: string; switchOff(): Promise<unknown> };

  beforeEach(async () => {
    const { platform } = world;
    const partner = await seedPartner(platform);
    const account = await partner.account('Two pages');
    receiver = await startReceiver();
    const endpointOf = (eventType: string) =>
      account.api.ok('/webhooks', { url: receiver.url, eventTypes: [eventType] });
    const endpoint = (await endpointOf('payment/succeeded')).id;
    const other = (await endpointOf('payment/rejected')).id;
    const switchOff = () => account.api.ok(`/webhooks/${other}`, { enabled: false }, { method: 'PUT' });
    made = { endpoint, partner: partner.slug, switchOff };
    for (let charges = 1; charges < count; charges++) await account.charge();
    await account.charge('tok_visa_declined');
    await deliverWebhooks(platform.services);
    expect(receiver.received).toHaveLength(count);
    return () => receiver.close();
  });

  test('takes all rows of all pages; each is resent once, and the report names those that were refused and why', {
    timeout: 120_000,
  }, async () => {
    const { platform } = world;
    const { context, page, complaints, open } = await world.windowOf(await world.staff('hubadmin'));
    await open(`/test/deliveries?status=delivered&partner=${made.partner}`);
    await loaded(page);
    await page.getByLabel('Select the rows of this page').check();
    await selected(page, 25);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Page 2' }).click();
    await expect.poll(() => page.getByLabel(/^Select whd_/).count()).toBe(2);
    await page
      .getByLabel(/^Select whd_/)
      .first()
      .check();
    await selected(page, 26);
    await bar(page)
      .getByRole('button', { name: `Select all ${count}` })
      .click();
    await selected(page, count);
    await made.switchOff();
    await begin(page, 'Resend');
    await dialog(page)
      .getByText(`${count - 1} done, 1 failed.`)
      .waitFor();
    await dialog(page)
      .getByRole('row', { name: /payment\/rejected to .* failed .*disabled/ })
      .waitFor();
    await expectAccessible(page);
    const saved = page.waitForEvent('download');
    await button(page, 'Save report').click();
    const lines = readFileSync(await (await saved).path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines).toHaveLength(count + 1);
    expect(lines.filter((line) => line.endsWith(',done,'))).toHaveLength(count - 1);
    await button(page, 'Close').click();
    await dialogClosed(page);
    expect(await bar(page).count()).toBe(0);
    // The second page has no rows any more.
    await page.getByRole('row', { name: /payment\/rejected/ }).waitFor();
    await deliverWebhooks(platform.services);
    expect(receiver.received).toHaveLength(count + count - 1);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('a lost answer stops it; continued, what the platform has done is not done again', {
    timeout: 120_000,
  }, async () => {
    const { context, page, open } = await world.windowOf(await world.staff('hubadmin'));
    await open(`/test/deliveries?endpointId=${made.endpoint}`);
    await loaded(page);
    await page.getByLabel('Select the rows of this page').check();
    const { answer } = await loseAnswer(page);
    await begin(page, 'Resend');
    await answer;
    await dialog(page).getByText('The server did not respond').waitFor();
    expect(await dialog(page).getByLabel('Reason').isDisabled()).toBe(true);
    await button(page, 'Try again').click();
    await dialog(page).getByText('25 done.').waitFor();
    await button(page, 'Close').click();
    await deliverWebhooks(world.platform.services);
    expect(receiver.received).toHaveLength(count + 25);
    await context.close();
  });

  test('the way back to a later page stays on it, whatever was filtered in between', { timeout: 60_000 }, async () => {
    const { context, page, open } = await world.windowOf(await world.staff('hubadmin'));
    await open(`/test/deliveries?endpointId=${made.endpoint}`);
    const rows = page.getByRole('table').getByRole('row');
    await rows.nth(25).waitFor();
    await page.getByRole('button', { name: 'Page 2' }).click();
    await rows.nth(2).waitFor({ state: 'detached' });
    await button(page, 'Filter by Status').click();
    await page.getByRole('option', { name: 'dead', exact: true }).click();
    await page.getByText('No deliveries match').waitFor();
    await page.goBack();
    await rows.nth(1).waitFor();
    expect(new URL(page.url()).searchParams.get('page')).toBe('2');
    await context.close();
  });

  test('can be stopped, and says how many rows are left', { timeout: 120_000 }, async () => {
    const { context, page, open } = await world.windowOf(await world.staff('hubadmin'));
    await open(`/test/deliveries?endpointId=${made.endpoint}`);
    await loaded(page);
    await page.getByLabel('Select the rows of this page').check();
    const { promise: stopped, resolve: answerAll } = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (isMutation(route)) {
        asked.resolve();
        await stopped;
      }
      return route.fallback();
    });
    await begin(page, 'Resend');
    await asked.promise;
    await button(page, 'Stop').click();
    answerAll();
    await dialog(page).getByText('21 of 25 deliveries are left.').waitFor();
    await button(page, 'Go back').click();
    await dialogClosed(page);
    await deliverWebhooks(world.platform.services);
    expect(receiver.received).toHaveLength(count + 4);
    await context.close();
  });
});

test('of selected refund requests one’s own are skipped, and the others are approved once', {
  timeout: 120_000,
}, async () => {
  const { account, platform } = world;
  await limitRefunds(platform.services, 1000);
  const [asker, decider] = [await world.staff('hubadmin'), await world.staff('hubadmin')];
  const askFor = async (person: typeof asker) => {
    const { payment } = await account.charge();
    const { page, context, open } = await world.windowOf(person);
    await open(`/test/payments/${payment['id']}`);
    await button(page, 'Refund').click();
    await dialog(page).getByLabel('Reason').fill('the tea was cold');
    await page.keyboard.press('Enter');
    await dialogClosed(page);
    await context.close();
    return payment['id'];
  };
  const [others, own] = [await askFor(asker), await askFor(decider)];
  const { context, page, open } = await world.windowOf(decider);
  await open('/test/refund-requests?status=pending');
  await loaded(page);
  await page.getByLabel('Select the rows of this page').check();
  await bar(page).getByRole('button', { name: 'Approve', exact: true }).click();
  await dialog(page).getByText('1 of them are skipped').waitFor();
  await dialog(page).getByLabel('Reason').fill('as agreed');
  await submit(page).click();
  await dialog(page).getByText('1 done, 1 skipped.').waitFor();
  await dialog(page)
    .getByRole('row', { name: /You cannot decide your own request/ })
    .waitFor();
  const refunded = await platform.services.prisma.refund.findMany({
    where: { paymentId: { in: [others, own] as string[] } },
  });
  expect(refunded.map(({ paymentId }) => paymentId)).toEqual([others]);
  await context.close();
});

test('who may do none of the actions has no checkboxes, and filters end the selection', {
  timeout: 60_000,
}, async () => {
  await world.account.api.ok('/webhooks', { url: 'http://127.0.0.1:2000/', eventTypes: ['payment/succeeded'] });
  await world.account.charge();
  const reader = await world.windowOf(await world.ofPartner('accountmanager'));
  await reader.open('/test/deliveries');
  await reader.page
    .getByRole('row', { name: /payment\/succeeded/ })
    .first()
    .waitFor();
  expect(await reader.page.getByRole('checkbox').count()).toBe(0);
  await reader.context.close();
  const { context, page, open } = await world.windowOf(await world.ofPartner('partneradmin'));
  await open('/test/deliveries');
  await page
    .getByLabel(/^Select whd_/)
    .first()
    .check();
  await selected(page, 1);
  await open('/test/deliveries?status=pending');
  await loaded(page);
  expect(await bar(page).count()).toBe(0);
  await context.close();
});
