// guards: src/domains/accounts src/operators/kyb rest/pages src/theme
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { itemsOf, marker } from '../domains/accounts/kyb/people.ts';
import { closeWindows, openPage, startBrowser } from '../support/browser.ts';
import { clientOf } from '../support/client.ts';
import { inGraphiql } from '../support/graphiql.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';
import { type StripeStandIn, startStripeStandIn } from '../support/stripe/stand-in.ts';

const platformDir = mkdtempSync(join(tmpdir(), 'platform-browser-'));
const hubadmin = { email: 'hub@example.com', password: 'correct horse battery' };
let browser: Browser;
let platform: TestPlatform;
let standIn: StripeStandIn;
const secretKey = 'sk_live_ofTheStandIn';

beforeAll(async () => {
  standIn = await startStripeStandIn([secretKey]);
  [browser, platform] = await Promise.all([
    startBrowser(),
    startTestPlatform({ env: { PLATFORM_DIR: platformDir, STRIPE_API_BASE: standIn.url } }),
  ]);
  await platform.idp.createUser({ ...hubadmin, platformRoles: ['hubadmin'] });
  await platform.idp.flush();
});
afterAll(async () => {
  await closeWindows();
  await platform?.close();
  await standIn?.close();
  rmSync(platformDir, { recursive: true, force: true });
});

test('a partner submits the KYB of a live account, a hubadmin approves it, and its charges succeed', {
  timeout: 90_000,
}, async () => {
  const partner = await seedPartner(platform, 'live');
  const { id, stores } = await partner.api.ok('/accounts', { legalName: 'Fresh Ltd' });
  const api = clientOf(platform, (await partner.api.ok(`/accounts/${id}/api-keys`, { label: 'shop server' })).secret);
  expect(await partner.api.ok(`/accounts/${id}/kyb/submit`, itemsOf())).toMatchObject({ kybStatus: 'submitted' });
  const { token } = await api.ok('/payment-instruments/tokenize', {
    cardNumber: '4111111111111111',
    expMonth: 12,
    expYear: 2039,
    cvc: '123',
  });
  const { paymentInstrument } = await api.ok('/payment-instruments/create-from-token', {
    token,
    customerData: { email: 'payer@example.com' },
  });
  const charge = () =>
    api.call('/payments/process', {
      storeId: stores[0].id,
      paymentInstrumentId: paymentInstrument.id,
      amount: 2500,
      currency: 'USD',
    });
  expect((await charge()).body).toMatchObject({ code: 'FORBIDDEN', data: { reason: 'account_not_active' } });

  const { page, complaints, strangeRequests } = await openPage(browser, platform.url);
  await page.goto(`${platform.url}/idp/sign-in`);
  await page.getByLabel('Email').fill(hubadmin.email);
  await page.getByLabel('Password').fill(hubadmin.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/console/**');

  const queue = await inGraphiql(
    page,
    platform.url,
    'query Queue { kybQueue { total items { account { id legalName } waitingSeconds } } }',
  );
  expect(queue.data).toMatchObject({
    kybQueue: { total: 1, items: [{ account: { id, legalName: 'Fresh Ltd' } }] },
  });
  const read = await inGraphiql(
    page,
    platform.url,
    `mutation Reveal { revealKyb(platformAccountId: "${id}", reason: "Review") { requirements { value code status } } }`,
  );
  expect(read.shown).toContain(`${marker} business.legal_name`);
  const approved = await inGraphiql(
    page,
    platform.url,
    `mutation Approve { approveKyb(platformAccountId: "${id}") { account { status kybStatus auditEntries { action ` +
      'actorEmail } } } }',
  );
  expect(approved.data).toMatchObject({
    approveKyb: {
      account: {
        status: 'active',
        kybStatus: 'approved',
        auditEntries: [
          { action: 'approveKyb', actorEmail: hubadmin.email },
          { action: 'revealKyb', actorEmail: hubadmin.email },
          { action: 'submitKyb' },
          { action: 'createAccount' },
        ],
      },
    },
  });

  // The account has no live processor, which is the only reason for the failure. With a processor it charges.
  expect((await charge()).body.payment).toMatchObject({
    status: 'failed',
    failureCode: 'no_processor',
    livemode: true,
  });
  await api.ok('/processors/create', { name: 'Stripe', type: 'stripe', options: { secretKey } });
  expect((await charge()).body.payment).toMatchObject({ status: 'succeeded', capturedAmount: 2500, livemode: true });
  expect(standIn.seen.some(({ path }) => path.includes('payment_intents'))).toBe(true);
  expect([complaints, strangeRequests]).toEqual([[], []]);
});
