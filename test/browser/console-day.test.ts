// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt src/domains/payments src/domains/disputes
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliverWebhooks } from '../../src/domains/webhooks/deliveries/jobs.ts';
import type { Mail } from '../../src/ports/mailer.ts';
import { itemsOf, marker } from '../domains/accounts/kyb/people.ts';
import { clientOf } from '../support/client.ts';
import {
  button,
  type ConsoleWorld,
  dialog,
  dialogClosed,
  heading,
  links,
  startConsoleWorld,
  submit,
} from '../support/console.ts';
import { startReceiver } from '../support/receiver.ts';
import { seedPartner } from '../support/seed.ts';
import { type StripeStandIn, startStripeStandIn } from '../support/stripe/stand-in.ts';

const secretKey = 'sk_live_ofTheStandIn';
const mails: Mail[] = [];
let world: ConsoleWorld;
let stripe: StripeStandIn;

beforeAll(async () => {
  stripe = await startStripeStandIn([secretKey]);
  world = await startConsoleWorld({ STRIPE_API_BASE: stripe.url });
  world.platform.services.mailer = { kind: 'kept', send: async (mail) => void mails.push(mail) };
});
afterAll(async () => {
  await world?.close();
  await stripe?.close();
});

/** Moves the focus with the Tab key until it is on what has this name. */
async function tabTo(page: Page, name: string): Promise<void> {
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : element?.textContent;
      return (label ?? '').replace(' *', '').trim();
    });
  const seen: string[] = [];
  while (seen.length < 80) {
    await page.keyboard.press('Tab');
    seen.push(await focused());
    if (seen.at(-1) === name) return;
  }
  throw new Error(`The Tab key does not lead to ${name}, but to ${seen.join(', ')}.`);
}

test('by keyboard alone: a payment is found, refunded in part, and its webhook is seen and sent again', {
  timeout: 90_000,
}, async () => {
  let status = 500;
  const receiver = await startReceiver(() => status);
  await world.account.api.ok('/webhooks', { url: receiver.url, eventTypes: ['payment/refunded'] });
  const { payment } = await world.account.charge();
  const { context, page, complaints, open } = await world.windowOf(await world.staff('hubadmin'));
  await open('/live');
  await heading(page, 'Overview').waitFor();
  await page.keyboard.press('Control+k');
  await page.locator('input:focus').waitFor();
  await page.keyboard.type(String(payment['id']));
  await page.getByRole('option', { name: /payment succeeded/ }).waitFor();
  await page.keyboard.press('Enter');
  await heading(page, /\$25\.00/).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/console/test/payments/${payment['id']}`);

  await tabTo(page, 'Refund');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Amount in USD');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('5');
  await tabTo(page, 'Reason');
  await page.keyboard.type('one cup was broken');
  await page.keyboard.press('Enter');
  await dialogClosed(page);
  await page.getByText('refund of $5.00').waitFor();

  await deliverWebhooks(world.platform.services);
  const row = page.getByRole('row', { name: /payment\/refunded/ });
  await row.getByText('1 attempt, 500').waitFor();
  status = 200;
  await tabTo(page, 'Resend');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Reason');
  await page.keyboard.type('the receiver is back');
  await page.keyboard.press('Enter');
  await dialogClosed(page);
  await deliverWebhooks(world.platform.services);
  await row.getByText('2 attempts, 200').waitFor();
  await row.getByText('delivered').waitFor();
  expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(1);
  expect(receiver.received).toHaveLength(2);
  expect(complaints).toEqual([]);
  await context.close();
  await receiver.close();
});

test('KYB is revealed and approved, and the account charges', { timeout: 90_000 }, async () => {
  const partner = await seedPartner(world.platform, 'live');
  const { id, stores } = await partner.api.ok('/accounts', { legalName: 'Fresh Ltd' });
  await partner.api.ok(`/accounts/${id}/kyb/submit`, itemsOf());
  const { context, page, complaints, open } = await world.windowOf(await world.staff('hubadmin'));
  await open('/live/kyb');
  await page.getByRole('link', { name: 'Fresh Ltd' }).click();
  await heading(page, /Fresh Ltd/).waitFor();
  expect(await page.getByText(marker).count()).toBe(0);
  await confirmed(page, 'Reveal values', 'the review is due');
  await page.getByText(`${marker} business.legal_name`).waitFor();
  // An address has parts.
  await page.getByText(`${marker} Street 1, Springfield, US`).first().waitFor();
  await confirmed(page, 'Approve');
  await heading(page, /approved/).waitFor();
  await page.getByRole('link', { name: 'Audit history' }).click();
  await page.getByRole('row', { name: /revealKyb allowed the review is due .*@example\.com/ }).waitFor();

  const { secret } = await partner.api.ok(`/accounts/${id}/api-keys`, { label: 'shop server' });
  const api = clientOf(world.platform, secret);
  await api.ok('/processors/create', { name: 'Stripe', type: 'stripe', options: { secretKey } });
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
  await api.ok('/payments/process', {
    storeId: stores[0].id,
    paymentInstrumentId: paymentInstrument.id,
    amount: 4200,
    currency: 'USD',
  });
  await open(`/live/accounts/${id}?tab=payments`);
  await page.getByRole('row', { name: /\$42\.00 succeeded/ }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

/** Does an action of live mode. */
async function confirmed(page: Page, name: string, reason?: string): Promise<void> {
  await button(page, name).click();
  if (reason !== undefined) await dialog(page).getByLabel('Reason').fill(reason);
  await dialog(page).getByLabel('Live mode. Type').fill('LIVE');
  await submit(page).click();
  await dialogClosed(page);
}

test('a partneradmin invites another, sees the invitation with its state and sends it again, who joins by the mail and sees what that role may', {
  timeout: 90_000,
}, async () => {
  const { context, page, open } = await world.windowOf(await world.ofPartner('partneradmin'));
  await open('/test/staff');
  await button(page, 'Invite member').click();
  await dialog(page).getByLabel('Email').fill('mate@shop.example');
  await dialog(page).getByLabel('Email').press('Enter');
  await dialogClosed(page);
  const invitation = page.getByRole('region', { name: 'Pending invitations' }).getByRole('row', { name: /mate@shop/ });
  await invitation.getByText('pending').waitFor();
  await invitation.getByRole('button', { name: 'Resend' }).click();
  await submit(page).click();
  await dialogClosed(page);
  await context.close();

  const [earlier, ticket] = mails
    .filter(({ to }) => to === 'mate@shop.example')
    .map(({ text }) => /\/idp\/[^\s]*ticket=[\w-]+/.exec(text)?.[0]);
  expect((await fetch(world.platform.url + earlier)).status).toBe(410);
  const mate = await world.windowOf(null);
  await mate.page.goto(world.platform.url + ticket);
  await mate.page.getByLabel(/Choose a password/).fill('a password of a mate');
  await mate.page.getByRole('button', { name: 'Accept' }).click();
  await mate.page.waitForURL((url) => !url.search.includes('ticket='));
  await mate.open('/test');
  await heading(mate.page, 'Overview').waitFor();
  const pages = await links(mate.page).allInnerTexts();
  expect(pages).toEqual(expect.arrayContaining(['Payments', 'KYB reviews', 'Staff', 'Users', 'Audit log']));
  expect(pages).not.toContain('Partners');
  await mate.context.close();
});

test('a dispute is found by its deadline, and is no longer due when the processor has the evidence', {
  timeout: 90_000,
}, async () => {
  const { payment } = await world.account.charge();
  const { id, processorReference } = await world.account.api.ok('/test-disputes/create', { paymentId: payment['id'] });
  const { context, page, complaints, open } = await world.windowOf(await world.staff('accountmanager'));
  await open('/test');
  await page.getByRole('link', { name: 'Disputes needing response' }).click();
  await page
    .getByRole('row', { name: /in 6 days/ })
    .getByRole('link')
    .first()
    .click();
  const due = page.getByRole('note');
  await due.getByText(/Respond by .*in 6 days/).waitFor();
  expect(await due.innerText()).toContain(processorReference);
  await page.getByText('payer').first().waitFor();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await button(page, 'Copy as text').click();
  await button(page, 'Copied').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain(`Payment: ${payment['id']}\nCharged: $25.00 USD at 20`);
  expect(copied).toMatch(/Card: Visa ···· 4242/);
  await world.account.api.ok(`/test-disputes/${id}/advance`, { status: 'under_review' });
  await page.reload();
  await heading(page, /under review/).waitFor();
  expect(await due.count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});
