// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt src/domains/webhooks
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliverWebhooks } from '../../src/domains/webhooks/deliveries/jobs.ts';
import { makePartner, signedIn } from '../iam/people.ts';
import {
  button,
  type ConsoleWorld,
  dialog,
  dialogClosed,
  expectAccessible,
  heading,
  loseAnswer,
  startConsoleWorld,
} from '../support/console.ts';
import { startReceiver } from '../support/receiver.ts';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(() => world?.close());

test('an endpoint that fails is found, tested, switched off with a reason and on again, and its events sent again', {
  timeout: 150_000,
}, async () => {
  const { account, platform } = world;
  let status = 500;
  const receiver = await startReceiver(() => status);
  const { id } = await account.api.ok('/webhooks', { url: receiver.url, eventTypes: ['payment/succeeded'] });
  await account.charge();
  await deliverWebhooks(platform.services);
  const { context, page, complaints, open } = await world.windowOf(await world.staff('hubadmin'));
  const act = async (name: string, fill: () => Promise<unknown> = async () => undefined): Promise<void> => {
    await button(page, name).first().click();
    await fill();
    await dialog(page).getByLabel('Reason').fill('floods the list of the night');
    await dialog(page).getByLabel('Reason').press('Enter');
    await dialogClosed(page);
  };
  await open('/test/endpoints?isFailing=yes');
  await page.getByRole('link', { name: receiver.url }).click();
  await heading(page, /failing/).waitFor();
  await page.getByRole('region', { name: 'Latest deliveries' }).getByText('1 attempt, 500').waitFor();
  await expectAccessible(page);

  await act('Disable');
  await heading(page, /disabled/).waitFor();
  await page
    .getByRole('region', { name: 'Latest deliveries' })
    .getByText(/^dead$/)
    .waitFor();
  await button(page, 'Send a test event').hover();
  await page.getByRole('tooltip', { name: 'The endpoint is disabled.' }).waitFor();
  expect(await platform.services.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id } })).toMatchObject({
    enabled: false,
    disabledReason: 'manual',
  });

  status = 200;
  await act('Enable');
  await heading(page, /healthy/).waitFor();
  await act('Send a test event');
  await deliverWebhooks(platform.services);
  await page.getByRole('row', { name: /webhook\/test delivered 1 attempt, 200/ }).waitFor();
  await act('Resend since', () => dialog(page).getByLabel('Since').fill('2020-01-01T00:00'));
  await deliverWebhooks(platform.services);
  await page.getByRole('row', { name: /payment\/succeeded delivered 2 attempts, 200/ }).waitFor();
  const audited = await platform.services.prisma.auditRow.findMany({ where: { target: id, actorKind: 'user' } });
  expect(audited.map(({ action }) => action).sort()).toEqual([
    'redeliverWebhooksSince',
    'testWebhookEndpoint',
    'updateWebhookEndpoint',
    'updateWebhookEndpoint',
  ]);
  expect(complaints).toEqual([]);
  await context.close();
  await receiver.close();
});

test('an operator replaces the secret of an endpoint, which is shown once; a lost answer makes one secret', {
  timeout: 150_000,
}, async () => {
  const { account, platform } = world;
  const endpoint = { url: 'https://hooks.example.com/in', eventTypes: ['payment/succeeded'] };
  const { id } = await account.api.ok('/webhooks', endpoint);
  const { context, page, complaints, open } = await world.windowOf(await world.staff('hubadmin'));
  await open(`/test/endpoints/${id}`);
  await button(page, 'Rotate secret').click();
  await dialog(page).getByLabel('Reason').fill('it was in a screenshot');
  await dialog(page).getByLabel('Reason').press('Enter');
  await page.getByText(/whsec_/).waitFor();
  await expectAccessible(page);
  await page.reload();
  await heading(page, /hooks\.example/).waitFor();
  expect(await page.getByText(/whsec_/).count()).toBe(0);
  const secretOf = async () =>
    (await platform.services.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id } })).secret;

  await button(page, 'Rotate secret').click();
  await dialog(page).getByLabel('Reason').fill('once more');
  await loseAnswer(page);
  await dialog(page).getByLabel('Reason').press('Enter');
  await dialog(page).getByText('Result unknown').waitFor();
  const made = await secretOf();
  await dialog(page).getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Secret lost with the response').waitFor();
  expect(await secretOf()).toBe(made);
  expect(complaints.filter((text) => !text.includes('ERR_FAILED'))).toEqual([]);
  await context.close();
});

test('who may only read sees the endpoint and why they may not change it; people of another partner do not see it', {
  timeout: 90_000,
}, async () => {
  const endpoint = { url: 'https://hooks.example.com/read', eventTypes: ['payment/succeeded'] };
  const { id } = await world.account.api.ok('/webhooks', endpoint);
  const readers = [await world.staff('accountmanager'), await world.ofPartner('accountmanager')];
  for (const person of readers) {
    const { context, page, open, complaints } = await world.windowOf(person);
    await open(`/test/endpoints/${id}`);
    await button(page, 'Disable').hover();
    await page.getByRole('tooltip', { name: /Requires the role hubadmin, or partneradmin/ }).waitFor();
    await button(page, 'Disable').click({ force: true });
    expect(await dialog(page).count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  }
  const rival = await makePartner(world.platform, 'endpoint-rival');
  const { context, page, open } = await world.windowOf(
    await signedIn(world.platform, { platformRoles: ['partneradmin'], whitelabelOwnership: rival.slug }),
  );
  await open(`/test/endpoints/${id}`);
  await page.getByText('Webhook endpoint not found.').first().waitFor();
  expect(await page.getByText('hooks.example.com').count()).toBe(0);
  await context.close();
});
