// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt src/adapters/clerk
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePerson } from '../iam/people.ts';
import {
  button,
  type ConsoleWorld,
  dialog,
  dialogClosed,
  expectAccessible,
  heading,
  startConsoleWorld,
} from '../support/console.ts';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld({}, 'clerk');
});
afterAll(() => world?.close());

test('a person signs in at Clerk, works in the console past the minute of a token, and signs out', {
  timeout: 150_000,
}, async () => {
  const { platform, account } = world;
  const { clerk, services } = platform;
  if (!clerk) throw new Error('The platform is to speak to Clerk.');
  const person = await makePerson(platform, { platformRoles: ['hubadmin'] });
  const { payment } = await account.charge();
  const { context, page, complaints, open } = await world.windowOf(null);
  const refund = async (amount: string): Promise<void> => {
    await button(page, 'Refund').click();
    await dialog(page).getByLabel('Amount in USD').fill(amount);
    await dialog(page).getByLabel('Reason').fill('one item was missing');
    await dialog(page).getByLabel('Reason').press('Enter');
    await dialogClosed(page);
    await page.getByText(`refund of $${amount}`).waitFor();
  };
  const cookies = async () =>
    (await context.cookies(platform.url)).filter(({ name }) => /^__(session|refresh)/.test(name));

  const shown = page.waitForResponse(`${platform.url}/console/**`);
  await open(`/test/payments/${payment['id']}`);
  expect((await shown).headers()['content-security-policy']).toMatch(/default-src 'none'.*connect-src 'self'/);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.waitForURL(`${clerk.url}/sign-in?**`);
  await page.getByLabel('Email').fill(person.email);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${platform.url}/console/test/payments/${payment['id']}`);
  await heading(page, /succeeded/).waitFor();
  expect((await cookies()).map(({ httpOnly }) => httpOnly)).toEqual([true, true, true]);
  await refund('1.50');

  const [session] = await clerk.idp.listSessions(person.id);
  if (!session) throw new Error('There is a session.');
  const expired = await clerk.signToken(
    { id: session.id, userId: person.id },
    { azp: platform.url, exp: Math.floor(Date.now() / 1000) - 60 },
  );
  await context.addCookies(
    (await cookies()).map((cookie) => (cookie.name.startsWith('__session') ? { ...cookie, value: expired } : cookie)),
  );
  clerk.requests.length = 0;
  await refund('2.00');
  expect(clerk.requests.map(({ path }) => path)).toEqual([`/v1/sessions/${session.id}/refresh`]);
  expect((await cookies()).some(({ name, value }) => name.startsWith('__session_') && value !== expired)).toBe(true);
  const refunds = await services.prisma.refund.findMany({ where: { paymentId: String(payment['id']) } });
  expect(refunds.map(({ amount }) => Number(amount)).sort((a, b) => a - b)).toEqual([150, 200]);

  await page.getByRole('link', { name: 'Profile' }).click();
  await page.getByText('Managed by your identity provider.').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Manage', exact: true }).click();
  await page.waitForURL(`${clerk.url}/user`);
  await page.goBack();
  await button(page, 'Sign out').click();
  await page.waitForURL(`${clerk.url}/sign-in?**`);
  expect(await clerk.idp.listSessions(person.id)).toEqual([]);
  expect(await cookies()).toEqual([]);
  await open('/test/payments');
  await heading(page, 'Sign in to the console').waitFor();

  // The browser itself went to Clerk; no page of the platform asked anything there.
  const pages = ['/sign-in', '/v1/client/handshake', '/user'].map((path) => `asked ${clerk.url}${path}`);
  expect(complaints.filter((text) => !pages.some((start) => text.startsWith(start)))).toEqual([]);
  await context.close();
});

test('a session that ended at Clerk closes an open page, which leads to the sign-in and keeps what was typed', {
  timeout: 150_000,
}, async () => {
  const { platform, account } = world;
  const { clerk } = platform;
  if (!clerk) throw new Error('The platform is to speak to Clerk.');
  const { payment } = await account.charge();
  const person = await world.staff('hubadmin');
  const { context, page, open } = await world.windowOf(person);
  await open(`/test/payments/${payment['id']}`);
  await button(page, 'Refund').click();
  await dialog(page).getByLabel('Reason').fill('one item was missing');
  await clerk.idp.revokeSessions(person.id);
  await clerk.idp.flush();
  await dialog(page).getByLabel('Reason').press('Enter');
  await dialog(page).getByText('Your session has ended').waitFor();
  const [tab] = await Promise.all([
    context.waitForEvent('page'),
    dialog(page).getByRole('link', { name: 'Sign in again' }).click(),
  ]);
  await tab.waitForURL(`${clerk.url}/sign-in?**`);
  await tab.getByLabel('Email').fill(person.email);
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.waitForURL(`${platform.url}/console/**`);
  await dialog(page).getByLabel('Reason').press('Enter');
  await dialogClosed(page);
  await context.close();
});
