// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt src/domains
import { afterAll, beforeAll, expect, test } from 'vitest';
import { itemsOf } from '../domains/accounts/kyb/people.ts';
import { button, type ConsoleWorld, dialog, heading, startConsoleWorld } from '../support/console.ts';
import { doTask } from '../support/console-task.ts';
import { limitRefunds } from '../support/refund-limit.ts';
import { seedPartner } from '../support/seed.ts';

// The everyday tasks of an operator with merchants, keys and people: see console-tasks.test.ts.
let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(() => world?.close());

/** A live account that waits for its KYB review. */
async function submittedAccount(legalName: string) {
  const live = await seedPartner(world.platform, 'live', world.partner.id);
  const { id } = await live.api.ok('/accounts', { legalName });
  await live.api.ok(`/accounts/${id}/kyb/submit`, itemsOf());
  return () => world.platform.services.prisma.processingAccount.findUniqueOrThrow({ where: { id } });
}

test('approve a KYB review', async () => {
  const account = await submittedAccount('Fresh Bakery');
  await doTask(world, { mode: 'live' }, async (operator) => {
    await operator.follow('KYB reviews');
    await operator.openRow(/Fresh Bakery/);
    await operator.click(button(operator.page, 'Approve'));
    await operator.send(null);
  });
  expect(await account()).toMatchObject({ status: 'active', kybStatus: 'approved' });
});

test('return a KYB review with a reason', async () => {
  const account = await submittedAccount('Stale Bakery');
  await doTask(world, { mode: 'live' }, async (operator) => {
    await operator.follow('KYB reviews');
    await operator.openRow(/Stale Bakery/);
    await operator.click(button(operator.page, 'Reject'));
    await operator.send('the extract is older than three months');
  });
  expect(await account()).toMatchObject({ kybStatus: 'rejected' });
});

test('revoke the key of a merchant, which the list shows with its merchant and partner', async () => {
  const { account, partner, platform } = world;
  const { id } = await partner.api.ok(`/accounts/${account.id}/api-keys`, { label: 'till' });
  await doTask(world, {}, async (operator) => {
    await operator.goTo('API keys');
    const row = operator.row(/till/);
    await row.getByRole('link', { name: 'Corner Shop' }).waitFor();
    await row.getByRole('link', { name: partner.slug }).waitFor();
    await operator.click(row.getByRole('button', { name: 'Revoke' }));
    await dialog(operator.page).getByText(`Corner Shop of ${partner.slug} with the key “till”`).waitFor();
    await operator.send('it was in a screenshot');
  });
  expect(await platform.services.prisma.apiKey.findUniqueOrThrow({ where: { id } })).toMatchObject({
    status: 'revoked',
  });
});

test('create a key of a partner, which opens all its merchants', async () => {
  const as = await world.ofPartner('partneradmin');
  await doTask(world, { as }, async (operator) => {
    await operator.goTo('API keys');
    await operator.click(button(operator.page, 'Create test key'));
    await operator.type(dialog(operator.page).getByLabel('Label'), 'night batch');
    await operator.send('a new server');
    await operator.page.getByText('Shown once.').waitFor();
  });
  const made = { partnerId: world.partner.id, label: 'night batch' };
  expect(await world.platform.services.prisma.apiKey.count({ where: made })).toBe(1);
});

test('stop the charges of a merchant', async () => {
  const shop = await world.partner.account('Overcharged Shop');
  await doTask(world, {}, async (operator) => {
    await operator.search('Overcharged', /^account Overcharged Shop/);
    await operator.click(button(operator.page, 'Suspend'));
    await operator.send('too many disputes');
  });
  const { prisma } = world.platform.services;
  expect((await prisma.processingAccount.findUniqueOrThrow({ where: { id: shop.id } })).status).toBe('suspended');
});

test('invite a colleague', async () => {
  const as = await world.ofPartner('partneradmin');
  await doTask(world, { as }, async (operator) => {
    await operator.goTo('Staff');
    await operator.click(button(operator.page, 'Invite member'));
    await operator.type(dialog(operator.page).getByLabel('Email'), 'newcomer@partner.example');
    await operator.send(null);
    await operator.row(/newcomer@partner\.example/).waitFor();
  });
});

test('change the role of a person with a reason, and see on the page of the person who did it', async () => {
  const mate = await world.staff('hubadmin');
  const as = await world.staff('superadmin');
  await doTask(world, { as }, async (operator) => {
    await operator.search(mate.email, /^user/);
    await operator.click(button(operator.page, 'Change roles'));
    await operator.click(dialog(operator.page).getByLabel('accountmanager'));
    await operator.send('deputy of the lead');
  });
  await doTask(world, { as: await world.staff('superadmin') }, async (operator) => {
    await operator.search(as.email, /^user/);
    await heading(operator.page, as.email).waitFor();
    await operator.row(/setInternalUserRoles allowed deputy of the lead/).waitFor();
  });
});

test('approve the refund that a colleague requests', async () => {
  const { payment } = await world.account.charge();
  await limitRefunds(world.platform.services, 2000);
  const colleague = await world.staff('hubadmin');
  await colleague.graphql(
    `mutation { refundPayment(input: { paymentId: "${payment['id']}" }, reason: "late") { __typename } }`,
  );
  await doTask(world, {}, async (operator) => {
    await operator.follow('Refund approvals');
    await operator.click(operator.row(/late/).getByRole('button', { name: 'Approve' }));
    await operator.send('seen the photo');
  });
  const { prisma } = world.platform.services;
  expect(await prisma.refund.count({ where: { paymentId: String(payment['id']), status: 'succeeded' } })).toBe(1);
});
