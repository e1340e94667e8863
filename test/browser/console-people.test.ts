// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signedIn } from '../iam/people.ts';
import { clientOf } from '../support/client.ts';
import {
  button,
  type ConsoleWorld,
  dialog,
  dialogClosed,
  expectAccessible,
  heading,
  startConsoleWorld,
  submit,
} from '../support/console.ts';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(() => world?.close());

async function send(page: Page): Promise<void> {
  await submit(page).click();
  await dialogClosed(page);
}

test('a superadmin gives an organization to a partner, moves a user, and edits the look of the partner', {
  timeout: 150_000,
}, async () => {
  const { services } = world.platform;
  await world.platform.idp.createOrganization({ name: 'Tea Traders' });
  await world.platform.idp.flush();
  const { context, page, complaints, open } = await world.windowOf(await world.staff('superadmin'));
  await open('/test/organizations');
  await page
    .getByRole('row', { name: /Tea Traders/ })
    .getByRole('button', { name: 'Assign partner' })
    .click();
  await dialog(page).getByLabel('Partner', { exact: true }).fill(world.partner.slug);
  await send(page);
  await page.getByRole('row', { name: new RegExp(`Tea Traders .*${world.partner.slug}`) }).waitFor();
  await expectAccessible(page);

  const mate = await signedIn(world.platform, { email: 'mate@internal.example', platformRoles: ['accountmanager'] });
  await open(`/test/users/${mate.id}`);
  await button(page, 'Change partner').click();
  await dialog(page).getByLabel('Partner', { exact: true }).fill(world.partner.slug);
  await dialog(page).getByLabel('Reason').fill('joins the partner');
  await send(page);
  await page.getByRole('link', { name: world.partner.slug }).waitFor();
  await button(page, 'Change partner').waitFor();
  const { whitelabelOwnership } = await services.prisma.iamUser.findUniqueOrThrow({ where: { idpUserId: mate.id } });
  expect(whitelabelOwnership).toBe(world.partner.slug);

  await open(`/test/partners/${world.partner.slug}`);
  await button(page, 'Edit partner').click();
  await dialog(page).getByLabel('Name', { exact: false }).first().fill('Tea and More');
  await dialog(page).getByLabel('Color').fill('#1a5fb4');
  await send(page);
  await heading(page, /Tea and More/).waitFor();
  const { branding } = await services.prisma.partner.findUniqueOrThrow({ where: { id: world.partner.id } });
  expect(branding).toMatchObject({ primaryColor: '#1a5fb4' });
  expect(complaints).toEqual([]);
  await context.close();
});

test('a partneradmin deletes a colleague from the staff, not themselves, and the button says why', {
  timeout: 90_000,
}, async () => {
  const colleague = await world.ofPartner('accountmanager');
  const admin = await world.ofPartner('partneradmin');
  const { context, page, open } = await world.windowOf(admin);
  await open('/test/staff');
  const own = page.getByRole('row', { name: new RegExp(admin.email) }).getByRole('button', { name: 'Delete' });
  await own.focus();
  await expect.poll(() => own.getAttribute('aria-description')).toContain('You cannot change your own roles');
  const row = page.getByRole('row', { name: new RegExp(colleague.email) });
  await row.getByRole('button', { name: 'Delete' }).click();
  await send(page);
  await row.waitFor({ state: 'detached' });
  expect((await colleague.graphql('{ accounts(mode: test) { total } }')).errors[0].extensions.code).toBe('FORBIDDEN');
  await context.close();
});

test('a partneradmin replaces a leaked partner key: the new secret is shown once and works, the old key is 401', {
  timeout: 90_000,
}, async () => {
  const { context, page, complaints, open } = await world.windowOf(await world.ofPartner('partneradmin'));
  await open('/test/api-keys');
  const secretOf = async (label: string): Promise<string> => {
    await button(page, 'Create test key').click();
    await dialog(page).getByLabel('Label').fill(label);
    await dialog(page).getByLabel('Reason').fill('a new server');
    await send(page);
    const alert = page.getByRole('alert').filter({ hasText: 'New partner key' });
    const secret = await alert.locator('code').innerText();
    await page.getByRole('row', { name: new RegExp(label) }).waitFor();
    await alert.getByRole('button', { name: 'Dismiss' }).click();
    return secret;
  };
  const leaked = clientOf(world.platform, await secretOf('leaked'));
  const fresh = clientOf(world.platform, await secretOf('fresh'));
  const statusOf = async (client: typeof leaked) => (await client.call('/accounts/list', {})).status;
  expect([await statusOf(leaked), await statusOf(fresh)]).toEqual([200, 200]);
  await page.reload();
  const row = page.getByRole('row', { name: /leaked/ });
  await row.getByRole('button', { name: 'Revoke' }).click();
  const prefix = await row.locator('code').innerText();
  await dialog(page).getByText(`for all accounts of ${world.partner.slug} with the key “leaked”`).waitFor();
  await dialog(page).getByText('Last used').waitFor();
  expect(await dialog(page).getByRole('heading').innerText()).toBe(`Revoke key ${prefix}…`);
  expect(await submit(page).innerText()).toBe(`Revoke key ${prefix}…`);
  await send(page);
  await row.getByText('revoked').waitFor();
  expect([await statusOf(leaked), await statusOf(fresh)]).toEqual([401, 200]);
  expect(complaints).toEqual([]);
  await context.close();

  const reader = await world.windowOf(await world.ofPartner('accountmanager'));
  await reader.open('/test/api-keys');
  expect(await button(reader.page, 'Create test key').getAttribute('aria-description')).toContain('Requires the role');
  await reader.context.close();
});

test('the list of API keys says whose they are, each dialog names what it acts on, and its other button what stays', {
  timeout: 90_000,
}, async () => {
  const { account, partner, platform } = world;
  await partner.api.ok(`/accounts/${account.id}/api-keys`, { label: 'till' });
  const { name } = await platform.services.prisma.partner.findUniqueOrThrow({ where: { id: partner.id } });
  const { payment } = await account.charge();
  const { page, complaints, open } = await world.hubTab();
  await open('/test/api-keys');
  const row = page.getByRole('row', { name: /till/ });
  await row.getByRole('link', { name: 'Corner Shop' }).first().waitFor();
  await row.getByRole('link', { name, exact: true }).waitFor();
  await page
    .getByRole('row', { name: /All accounts/ })
    .getByText('Partner key')
    .first()
    .waitFor();
  await row.getByRole('button', { name: 'Revoke' }).click();
  await dialog(page).getByText(`API requests for Corner Shop of ${name} with the key “till” fail`).waitFor();
  await dialog(page).getByText('The key was never used').waitFor();
  await expectAccessible(page);
  for (const [path, action, title, kept] of [
    [`payments/${payment['id']}`, 'Refund', `Refund payment of $25.00 to Corner Shop`, 'Go back'],
    [`accounts/${account.id}`, 'Close account', `Close account Corner Shop`, 'Keep account open'],
    [`accounts/${account.id}`, 'Suspend', `Suspend Corner Shop`, 'Keep account active'],
    [`partners/${partner.slug}`, 'Edit partner', `Edit partner ${name}`, 'Go back'],
  ] as const) {
    await open(`/test/${path}`);
    await button(page, action).click();
    expect(await dialog(page).getByRole('heading').innerText()).toBe(title);
    expect(await submit(page).innerText()).toBe(title);
    const others = dialog(page).locator('button[type=button]');
    expect(await others.allInnerTexts()).toEqual([kept]);
  }
  expect(complaints).toEqual([]);
  await page.close();
});

test('a superadmin adds a platform role by a checkbox: the dialog shows before and after, and the audit row has the reason', {
  timeout: 90_000,
}, async () => {
  const mate = await signedIn(world.platform, { email: 'promoted@internal.example', platformRoles: ['hubadmin'] });
  const { context, page, complaints, open } = await world.windowOf(await world.staff('superadmin'));
  await open(`/test/users/${mate.id}`);
  await button(page, 'Change roles').click();
  expect(await dialog(page).getByRole('heading').innerText()).toBe(`Change roles of ${mate.email}`);
  await dialog(page).getByLabel('superadmin').check();
  await dialog(page).getByText('hubadmin → superadmin, hubadmin').waitFor();
  await expectAccessible(page);
  await dialog(page).getByLabel('Reason').fill('deputy of the lead');
  await send(page);
  await page.getByText('superadmin, hubadmin', { exact: true }).waitFor();
  const rows = await world.platform.services.prisma.auditRow.findMany({ where: { target: mate.id } });
  expect(rows).toMatchObject([{ action: 'setInternalUserRoles', outcome: 'allowed', reason: 'deputy of the lead' }]);
  expect(complaints).toEqual([]);
  await context.close();
});
