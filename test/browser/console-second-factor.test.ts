// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt src/adapters/embedded-idp
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { peopleOf } from '../iam/identity/people.ts';
import { makePerson } from '../iam/people.ts';
import {
  button,
  type ConsoleWorld,
  dialog,
  dialogClosed,
  expectAccessible,
  isMutation,
  startConsoleWorld,
} from '../support/console.ts';
import { asOwner } from '../support/database.ts';
import { limitRefunds } from '../support/refund-limit.ts';
import { totpOf } from '../support/totp.ts';

const env = { IDP_REQUIRE_SECOND_FACTOR: 'yes' };
const worlds: ConsoleWorld[] = [];
let embedded: ConsoleWorld;
let clerk: ConsoleWorld;

beforeAll(async () => {
  embedded = await startConsoleWorld(env);
  clerk = await startConsoleWorld(env, 'clerk');
  worlds.push(embedded, clerk);
});
afterAll(() => Promise.all(worlds.map((world) => world.close())));

/** The keys and the bodies of the mutations that a page sends. */
async function noteMutations(page: Page): Promise<{ key: string | undefined; body: string | null }[]> {
  const sent: { key: string | undefined; body: string | null }[] = [];
  await page.route('**/graphql', (route) => {
    const request = route.request();
    if (isMutation(route)) sent.push({ key: request.headers()['idempotency-key'], body: request.postData() });
    return route.fallback();
  });
  return sent;
}

const refundsOf = async ({ platform }: ConsoleWorld, paymentId: unknown) =>
  platform.services.prisma.refundRequest.findMany({ where: { paymentId: String(paymentId) } });

async function askForRefund(page: Page): Promise<void> {
  await button(page, 'Refund').click();
  await dialog(page).getByLabel('Amount in USD').fill('20');
  await dialog(page).getByLabel('Reason').fill('the tea was cold');
  await dialog(page).getByLabel('Reason').press('Enter');
  await dialog(page).getByText('requires a two-factor code').waitFor();
}

test('a refund at the limit after ten minutes asks for a code: a wrong one is said, with a right one the same is sent under the same key', {
  timeout: 150_000,
}, async () => {
  const { platform, account } = embedded;
  await limitRefunds(platform.services, 2000);
  const { payment } = await account.charge();
  const person = await peopleOf(platform).enroll({ platformRoles: ['hubadmin'] });
  const { context, page, open } = await embedded.windowOf({ ...(await embedded.staff('hubadmin')), ...person });
  const sent = await noteMutations(page);
  await open(`/test/payments/${payment['id']}`);
  await asOwner(platform, `UPDATE idp.session SET "secondFactorAt" = now() - interval '11 minutes'`);
  await askForRefund(page);
  expect(await dialog(page).getByLabel('Reason').isDisabled()).toBe(true);
  await expectAccessible(page);
  const code = dialog(page).getByLabel('Code from your authenticator app, or a backup code');
  await code.fill('000000');
  await code.press('Enter');
  await dialog(page).getByText('The code is wrong or was used already.').waitFor();
  expect(sent).toHaveLength(1);
  expect(await refundsOf(embedded, payment['id'])).toEqual([]);
  await code.fill(totpOf(person.setupKey, 'next'));
  await code.press('Enter');
  await dialogClosed(page);
  await page.getByText('Refund: needs a second approver.').waitFor();
  expect(sent).toHaveLength(2);
  expect(sent[0]?.key).toBeTruthy();
  expect(sent[1]).toEqual(sent[0]);
  expect(await refundsOf(embedded, payment['id'])).toMatchObject([{ reason: 'the tea was cold', status: 'pending' }]);
  await context.close();
});

test('a dialog that was closed instead of a code can be changed and sent again, under another key', {
  timeout: 90_000,
}, async () => {
  const { platform, account } = embedded;
  await limitRefunds(platform.services, 2000);
  const { payment } = await account.charge();
  const person = await peopleOf(platform).enroll({ platformRoles: ['hubadmin'] });
  const { context, page, open } = await embedded.windowOf({ ...(await embedded.staff('hubadmin')), ...person });
  const sent = await noteMutations(page);
  await open(`/test/payments/${payment['id']}`);
  await asOwner(platform, `UPDATE idp.session SET "secondFactorAt" = now() - interval '11 minutes'`);
  await askForRefund(page);
  await dialog(page).getByRole('button', { name: 'Go back' }).click();
  await button(page, 'Refund').click();
  expect(await dialog(page).getByLabel('Reason').inputValue()).toBe('the tea was cold');
  await dialog(page).getByLabel('Amount in USD').fill('1');
  await dialog(page).getByLabel('Reason').press('Enter');
  await dialogClosed(page);
  await page.getByText('refund of $1.00').waitFor();
  expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
  await context.close();
});

test('with Clerk the dialog leads to a new sign-in there and back, and then sends the same under the same key', {
  timeout: 150_000,
}, async () => {
  const { platform, account } = clerk;
  if (!platform.clerk) throw new Error('The platform is to speak to Clerk.');
  await limitRefunds(platform.services, 2000);
  const { payment } = await account.charge();
  const user = await makePerson(platform, { platformRoles: ['hubadmin'] });
  const { cookie } = await platform.clerk.openSession(user.email, { fva: [20, 20] });
  const { context, page, open } = await clerk.windowOf({ ...(await clerk.staff('hubadmin')), ...user, cookie });
  const sent = await noteMutations(page);
  await open(`/test/payments/${payment['id']}`);
  await askForRefund(page);
  const [tab] = await Promise.all([
    context.waitForEvent('page'),
    dialog(page).getByRole('link', { name: 'Sign in again' }).click(),
  ]);
  await tab.getByRole('button', { name: 'Sign in again' }).click();
  await tab.waitForURL(`${platform.clerk.url}/sign-in?**`);
  await tab.getByLabel('Email').fill(user.email);
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.waitForURL(`${platform.url}/console/test/payments/${payment['id']}`);
  await dialog(page).getByRole('button', { name: 'Refund' }).click();
  await dialogClosed(page);
  await page.getByText('Refund: needs a second approver.').waitFor();
  expect(sent).toHaveLength(2);
  expect(sent[0]?.key).toBeTruthy();
  expect(sent[1]).toEqual(sent[0]);
  expect(await refundsOf(clerk, payment['id'])).toMatchObject([{ reason: 'the tea was cold', status: 'pending' }]);
  await context.close();
});

test('the page /idp/second-factor says that a code is wrong, takes a right one, and leads back; without a factor the console says where to set one up', {
  timeout: 90_000,
}, async () => {
  const { platform, partner } = embedded;
  const person = await peopleOf(platform).enroll({ platformRoles: ['hubadmin'] });
  const hub = await embedded.windowOf({ ...(await embedded.staff('hubadmin')), ...person });
  await hub.page.goto(`${platform.url}/idp/account`);
  await hub.page.getByRole('link', { name: 'Enter a code now' }).click();
  const code = hub.page.getByLabel('Code from your authenticator app, or a backup code');
  await code.fill('000000');
  await code.press('Enter');
  await hub.page.getByText('The code is wrong or was used already.').waitFor();
  await expectAccessible(hub.page);
  await code.fill(totpOf(person.setupKey, 'next'));
  await code.press('Enter');
  await hub.page.waitForURL(`${platform.url}/idp/account`);
  await hub.context.close();

  const { context, page, open } = await embedded.windowOf(await embedded.ofPartner('partneradmin'));
  await open(`/test/api-keys?partnerSlug=${partner.slug}`);
  await button(page, 'Create test key').click();
  await dialog(page).getByLabel('Label').fill('a key');
  await dialog(page).getByLabel('Reason').fill('a new server');
  await dialog(page).getByLabel('Label').press('Enter');
  await dialog(page).getByText('Set up two-factor authentication in Profile').waitFor();
  expect(await dialog(page).getByLabel('Label').inputValue()).toBe('a key');
  await context.close();
});
