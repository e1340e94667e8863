import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPage, startBrowser } from '../support/browser.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';

const platformDir = mkdtempSync(join(tmpdir(), 'platform-browser-'));
const password = 'correct horse battery';
let browser: Browser;
let platform: TestPlatform;

beforeAll(async () => {
  [browser, platform] = await Promise.all([startBrowser(), startTestPlatform({ env: { PLATFORM_DIR: platformDir } })]);
  await platform.idp.createUser({ email: 'super@example.com', password, platformRoles: ['superadmin'] });
  await platform.idp.flush();
});
afterAll(async () => {
  await browser?.close();
  await platform?.close();
  rmSync(platformDir, { recursive: true, force: true });
});

test('a superadmin signs in, invites a partner\'s first person, and that person accepts in another browser', async () => {
  const { page, complaints, strangeRequests } = await openPage(browser, platform.url);
  await page.goto(`${platform.url}/idp/sign-in?redirect=${encodeURIComponent('/idp/mail')}`);
  await page.getByLabel('E-mail').fill('super@example.com');
  await page.getByLabel('Password').fill('wrong wrong wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('E-mail or password is wrong.').waitFor();
  // The browser itself writes the 401 into its console.
  expect(complaints.splice(0)).toHaveLength(1);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/idp/mail');

  // With the cookie alone, as a page of ours would.
  const created = await page.evaluate(async () => {
    const body = JSON.stringify({ name: 'Acme', slug: 'acme', adminEmails: ['first@acme.example'] });
    const response = await fetch('/api/v1/iam/partners-admin/create', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    return response.json();
  });
  expect(created).toMatchObject({ partner: { slug: 'acme' }, invited: [{ email: 'first@acme.example', status: 'invited' }] });
  await page.reload();
  const link = await page.locator('a[href*="ticket="]').first().getAttribute('href');

  const other = await openPage(browser, platform.url);
  await other.page.goto(link ?? '');
  await other.page.getByLabel(/Choose a password/).fill('the password of acme');
  await other.page.getByRole('button', { name: 'Accept' }).click();
  await other.page.waitForURL('**/graphql');
  const me = await other.page.evaluate(async () => (await fetch('/graphql', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"query":"{ me { email platformRoles whitelabelOwnership } }"}' })).json());
  expect(me).toEqual({ data: { me: { email: 'first@acme.example', platformRoles: ['partneradmin'], whitelabelOwnership: 'acme' } } });
  await other.page.goto(link ?? '').catch(() => {});
  await other.page.getByText('This invitation is no longer open').waitFor();
  expect([...strangeRequests, ...other.strangeRequests]).toEqual([]);
});
