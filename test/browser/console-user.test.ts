// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signedIn } from '../iam/people.ts';
import {
  type ConsoleWorld,
  dialog,
  dialogClosed,
  expectAccessible,
  heading,
  loaded,
  startConsoleWorld,
  submit,
} from '../support/console.ts';
import { does } from '../support/console-actions/action-case.ts';
import { seedPartner } from '../support/seed.ts';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(() => world?.close());

const region = (name: string) => ({ name, exact: true });

test('the page of a user shows roles, what the user did, what was done to the user, and invitations; lists and the audit log lead to it', {
  timeout: 120_000,
}, async () => {
  const { partner, platform } = world;
  const superadmin = await world.staff('superadmin');
  const person = await signedIn(platform, { email: 'deputy@internal.example', platformRoles: ['accountmanager'] });
  const input = `input: { userId: "${person.id}", roles: [superadmin] }`;
  await does(superadmin, `setInternalUserRoles(${input}, reason: "deputy of the lead") { userId }`);
  await does(person, `updatePartner(input: { id: "${partner.id}", name: "Tea House" }) { id }`);
  await does(
    superadmin,
    `inviteStaff(partnerSlug: "${partner.slug}", input: { email: "newcomer@shop.example", roles: [partneradmin] }) { status }`,
  );
  const { context, page, complaints, open } = await world.windowOf(await world.staff('hubadmin'));
  await open('/test/users?q=deputy@internal');
  await page.getByRole('link', { name: person.email }).first().click();
  await heading(page, person.email).waitFor();
  await page.getByRole('region', region('Changes by this user')).getByText('updatePartner').waitFor();
  const about = page.getByRole('region', region('Changes to this user'));
  await about.getByRole('row', { name: /setInternalUserRoles allowed deputy of the lead/ }).waitFor();
  await page.getByText('No pending invitations.').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'End all sessions' }).hover();
  await page.getByRole('tooltip', { name: 'Requires the role superadmin.' }).waitFor();
  await about.getByRole('link', { name: superadmin.email }).click();
  await heading(page, superadmin.email).waitFor();
  await open(`/test/audit?target=${person.id}`);
  await page.getByRole('link', { name: superadmin.email }).click();
  await heading(page, superadmin.email).waitFor();
  await open(`/test/staff?partner=${partner.slug}`);
  await page.getByText('newcomer@shop.example').first().waitFor();
  await open('/test/users/user_unknown');
  await page.getByText('User not found').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('a superadmin sees the sessions of another user and ends them with a reason: the next request of the user is 401', {
  timeout: 90_000,
}, async () => {
  const person = await signedIn(world.platform, {
    email: 'stolen@internal.example',
    platformRoles: ['accountmanager'],
  });
  const { context, page, complaints, open } = await world.windowOf(await world.staff('superadmin'));
  await open(`/test/users/${person.id}`);
  const sessions = page.getByRole('region', region('Sessions'));
  await sessions.getByRole('row').nth(1).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'End all sessions' }).click();
  await dialog(page).getByLabel('Reason').fill('the laptop was stolen');
  await submit(page).click();
  await dialogClosed(page);
  await page.getByText('No sessions.').waitFor();
  expect((await person.graphql('{ me { email } }')).errors?.[0].extensions.code ?? 'none').toBe('NOT_AUTHORIZED');
  await page
    .getByRole('region', region('Changes to this user'))
    .getByRole('row', { name: /endUserSessions allowed the laptop was stolen/ })
    .waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('a partneradmin sees the page of a member of the own partner with own sessions alone, and not that of another partner or of internal staff', {
  timeout: 120_000,
}, async () => {
  const rival = await seedPartner(world.platform);
  const foreign = await signedIn(world.platform, {
    email: 'rival@rival.example',
    platformRoles: ['partneradmin'],
    whitelabelOwnership: rival.slug,
  });
  const internal = await world.staff('hubadmin');
  const member = await world.ofPartner('accountmanager');
  const admin = await world.ofPartner('partneradmin');
  const { context, page, complaints, open } = await world.windowOf(admin);
  await open('/test/staff');
  await page.getByRole('link', { name: member.email }).click();
  await heading(page, member.email).waitFor();
  await page.getByRole('button', { name: 'Change roles' }).waitFor();
  expect(await page.getByRole('region', region('Sessions')).count()).toBe(0);
  await open(`/test/users/${admin.id}`);
  await page.getByRole('region', region('Sessions')).getByText('this session').waitFor();
  for (const { id, email } of [foreign, internal]) {
    await open(`/test/users/${id}`);
    await page.getByText('User not found').waitFor();
    await loaded(page);
    expect(await page.locator('body').innerText()).not.toContain(email);
  }
  expect(complaints).toEqual([]);
  await context.close();
});
