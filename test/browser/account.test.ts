// guards: rest/pages/people rest/pages/frame src/theme src/iam src/adapters/embedded-idp src/auth
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Mail } from '../../src/ports/mailer.ts';
import { closeWindows, openPage, startBrowser } from '../support/browser.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { totpOf } from '../support/totp.ts';

const password = 'correct horse battery';
const mails: Mail[] = [];
let browser: Browser;
let platform: TestPlatform;

beforeAll(async () => {
  [browser, platform] = await Promise.all([
    startBrowser(),
    startTestPlatform({ identityProvider: 'embedded', env: { IDP_REQUIRE_SECOND_FACTOR: 'yes' } }),
  ]);
  platform.services.mailer = { kind: 'kept', send: async (mail) => void mails.push(mail) };
  await platform.idp.createUser({ email: 'super@example.com', password, platformRoles: ['superadmin'] });
  await platform.idp.flush();
});
afterAll(async () => {
  await closeWindows();
  await platform?.close();
});

test('a superadmin is led to set up a second factor, signs in with a backup code, and chooses a new password by mail', {
  timeout: 120_000,
}, async () => {
  const { page, complaints, strangeRequests } = await openPage(browser, platform.url);
  const shots = process.env['SCREENSHOTS'];
  const shoot = async (name: string) =>
    void (shots && (await page.screenshot({ path: `${shots}/${name}.png`, fullPage: true })));
  const signIn = async (secret: string) => {
    await page.goto(`${platform.url}/idp/sign-in`);
    await page.getByLabel('Email').fill('super@example.com');
    await page.getByLabel('Password').fill(secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  await signIn(password);
  await page.getByText('Your role requires two-factor authentication.').waitFor();
  await shoot('account-must-enroll');
  await page.locator('#factorPassword').fill(password);
  await page.getByRole('button', { name: 'Set up two-factor authentication' }).click();
  await page.locator('#setup').waitFor();
  const key = (await page.locator('[data-value=setupKey]').textContent()) ?? '';
  expect(await page.locator('a[data-value=uri]').getAttribute('href')).toContain(`secret=${key}`);
  const backupCodes = ((await page.locator('#setup [data-value=backupCodes]').textContent()) ?? '').split('\n');
  expect(backupCodes).toHaveLength(10);
  await shoot('account-setup');
  await page.getByLabel('Code from the app').fill(totpOf(key));
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('On. You sign in with your password and a code.').waitFor();
  await shoot('account');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL('**/idp/sign-in');
  await shoot('sign-in');

  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByLabel('Email').fill('super@example.com');
  await shoot('forgot-password');
  await page.getByRole('button', { name: 'Send link' }).click();
  await page.getByText('we sent a link').waitFor();
  await shoot('forgot-password-sent');
  await expect.poll(() => mails.at(-1)?.text).toContain('token=');
  await page.goto(/https?:\S+/.exec(mails.at(-1)?.text ?? '')?.[0] ?? '');
  await shoot('reset-password');
  await page.getByLabel('New password').fill('chosen by mail');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.waitForURL('**/idp/sign-in');
  await signIn('chosen by mail');
  await page.waitForURL('**/idp/sign-in-code**');
  await shoot('sign-in-code');
  await page.getByLabel('Code from your authenticator app').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Invalid or expired code').waitFor();
  // The browser itself logs the 401 to its console.
  expect(complaints.splice(0)).toHaveLength(1);
  await page.getByLabel('Code from your authenticator app').fill(backupCodes[0] ?? '');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/console/**');

  await page.goto(`${platform.url}/idp/reset-password?token=used`);
  await page.getByText('Link expired').waitFor();
  await shoot('reset-password-gone');
  complaints.splice(0); // the page itself is 410
  await page.goto(`${platform.url}/idp/account`);
  await page.getByText('This session').waitFor();
  expect(strangeRequests).toEqual([]);
  expect(complaints).toEqual([]);
});
