// guards: rest/pages/people rest/pages/frame src/theme src/iam src/adapters/embedded-idp src/auth
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeWindows, openPage, startBrowser } from '../support/browser.ts';
import { inGraphiql } from '../support/graphiql.ts';
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
  await closeWindows();
  await platform?.close();
  rmSync(platformDir, { recursive: true, force: true });
});

/** The link of the newest mail, from the page that shows mail when no mail server is configured. */
async function newestLink(page: Page): Promise<string> {
  await page.goto(`${platform.url}/idp/mail`);
  return (await page.locator('a[href*="ticket="]').first().getAttribute('href')) ?? '';
}

test('a superadmin makes a partner, its admin and a teammate accept invitations, and all is audited', {
  timeout: 90_000,
}, async () => {
  const { page, complaints, strangeRequests } = await openPage(browser, platform.url);
  await page.goto(`${platform.url}/idp/sign-in`);
  await page.getByLabel('Email').fill('super@example.com');
  await page.getByLabel('Password').fill('wrong wrong wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Email or password is wrong.').waitFor();
  // The browser itself logs the 401 to its console.
  expect(complaints.splice(0)).toHaveLength(1);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/console/**');

  // With the cookie alone: no header is entered.
  const made = await inGraphiql(
    page,
    platform.url,
    'mutation NewPartner { createPartner(input: {name: "Acme", slug: "acme", adminEmails: ' +
      '["first@acme.example"]}) { partner { slug status } invited { email status } } }',
  );
  expect(made.data).toEqual({
    createPartner: {
      partner: { slug: 'acme', status: 'active' },
      invited: [{ email: 'first@acme.example', status: 'invited' }],
    },
  });
  const link = await newestLink(page);

  const admin = await openPage(browser, platform.url);
  await accept(admin.page, link);
  const { data: me } = await inGraphiql(
    admin.page,
    platform.url,
    'query Admin { me { email platformRoles whitelabelOwnership } }',
  );
  expect(me).toEqual({
    me: { email: 'first@acme.example', platformRoles: ['partneradmin'], whitelabelOwnership: 'acme' },
  });
  await inGraphiql(
    admin.page,
    platform.url,
    'mutation NewTeammate { inviteStaff(partnerSlug: "acme", input: {email: "mate@acme.example", roles: ' +
      '[accountmanager]}) { status } }',
  );

  const mate = await openPage(browser, platform.url);
  await accept(mate.page, await newestLink(page));
  const { data: teammate } = await inGraphiql(mate.page, platform.url, 'query Teammate { me { platformRoles } }');
  expect(teammate).toEqual({ me: { platformRoles: ['accountmanager'] } });

  const { data: log, shown } = await inGraphiql(
    page,
    platform.url,
    'query Log { auditLog { items { action actorEmail outcome } } }',
  );
  expect(log).toEqual({
    auditLog: {
      items: [
        { action: 'acceptInvitation', actorEmail: 'mate@acme.example', outcome: 'allowed' },
        { action: 'inviteStaff', actorEmail: 'first@acme.example', outcome: 'allowed' },
        { action: 'acceptInvitation', actorEmail: 'first@acme.example', outcome: 'allowed' },
        { action: 'inviteStaff', actorEmail: 'super@example.com', outcome: 'allowed' },
        { action: 'createPartner', actorEmail: 'super@example.com', outcome: 'allowed' },
      ],
    },
  });
  expect(shown).toContain('"actorEmail": "mate@acme.example"');

  await mate.page.goto(link).catch(() => {});
  await mate.page.getByText('Invitation expired').waitFor();
  expect([...strangeRequests, ...admin.strangeRequests, ...mate.strangeRequests]).toEqual([]);
  expect([...complaints, ...admin.complaints]).toEqual([]);
});

async function accept(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByLabel(/Choose a password/).fill('a password of acme');
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.waitForURL('**/console/**');
}
