import { expect, vi } from 'vitest';
import { checkoutToken } from '../../src/domains/funnels/sessions/rows.ts';
import { runDueSubscriptions } from '../../src/domains/subscriptions/periods/run-subscription.ts';
import { addFunnel } from '../domains/funnels/example-funnel.ts';
import { pluginsOf } from '../domains/plugins/sample.ts';
import type { Client } from './client.ts';
import type { TestPlatform } from './platform.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from './seed.ts';
import { priceOf } from './subscriptions.ts';

interface Statuses {
  partner: 'active' | 'suspended' | 'offboarded';
  account: 'active' | 'pending_operator_assignment' | 'suspended' | 'closed';
}

/** Every status of each, with the other one active: a status is not hidden by what the other one refuses. */
export const allStatuses: readonly Statuses[] = [
  ...(['active', 'pending_operator_assignment', 'suspended', 'closed'] as const).map((account) => ({
    partner: 'active' as const,
    account,
  })),
  { partner: 'suspended', account: 'active' },
  { partner: 'offboarded', account: 'active' },
];

/** Rows of an account of which everything that takes money has one to take it of, for each kind of key. */
export interface StatusWorld extends Statuses {
  owner: SeededPartner;
  merchant: SeededAccount;
  keys: Readonly<Record<'subKey' | 'partnerKey', Client>>;
  /** Identifiers by the name of the field that takes them, for each kind of key. */
  known: Readonly<Record<'subKey' | 'partnerKey', Readonly<Record<string, unknown>>>>;
  /** The checkout page of a session that is at its payment, and the challenge of a payment without an answer. */
  checkoutUrl: string;
  challengeUrl: string;
  /** The hosted page of a subscription that is past due. */
  cardholderUrl: string;
  funnelId: string;
  testClockId: string;
}

const challengeUrlOf = (payment: Record<string, unknown>) => (payment['requireActionData'] as { url: string }).url;
const answer = (url: string) =>
  fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"outcome": "success"}' });

export async function statusWorld(platform: TestPlatform, statuses: Statuses): Promise<StatusWorld> {
  const owner = await seedPartner(platform);
  const merchant = await owner.account();
  const { api, storeId } = merchant;
  const [priceId, yearly] = [await priceOf(merchant), await priceOf(merchant, { interval: 'year', amount: 9000 })];
  const subscribe = async (customerId: string) => (await api.ok('/subscriptions/create', { customerId, priceId })).id;
  const ids = async () => {
    const { id: paymentInstrumentId, customerId } = await merchant.instrument();
    const held = (await merchant.charge('tok_visa', { mode: 'auth' })).payment['id'];
    const answered = (await merchant.charge('tok_visa_3ds')).payment;
    await answer(challengeUrlOf(answered));
    return {
      storeId,
      platformAccountId: merchant.id,
      customerId,
      paymentInstrumentId,
      paymentId: (await merchant.charge()).payment['id'],
      subscriptionId: await subscribe(customerId),
      priceId,
      amount: 700,
      currency: 'USD',
      held,
      answered: answered['id'],
      yearly,
    };
  };
  const known = { subKey: await ids(), partnerKey: await ids() };
  await subscribe((await merchant.instrument()).customerId);
  const challengeUrl = challengeUrlOf((await merchant.charge('tok_visa_3ds')).payment);
  const cardholderUrl = await pastDueUrl(platform, merchant, priceId);
  const { id: testClockId, now } = await api.ok('/test-clocks/create', {
    name: 'Rehearsal',
    now: platform.services.clock.now().toISOString(),
  });
  const email = `${testClockId}@example.com`.toLowerCase();
  const { id: customerId } = await api.ok('/customers/create', { email, testClockId });
  const expYear = new Date(now).getUTCFullYear() + 2;
  const { token } = await api.ok('/payment-instruments/tokenize', {
    cardNumber: '4242424242424242',
    expMonth: 12,
    expYear,
    cvc: '123',
  });
  await api.ok('/payment-instruments/create-from-token', { token, customerId });
  await subscribe(customerId);
  const { id: funnelId } = await addFunnel(merchant);
  const { id: sessionId } = await api.ok('/funnel-sessions', { funnelId });
  const checkoutUrl = `${platform.url}/checkout/sessions/${checkoutToken(platform.services.config, sessionId)}`;
  await postJson(`${checkoutUrl}/next`, { stepId: 'landing' });
  const plugins = pluginsOf(api);
  const { deploymentInstanceId } = (await plugins.deploy({ storeId, autoInstantiate: true })).body.instance;
  await plugins.ok('/instance/mount', { deploymentInstanceId, storeId, alias: 'shop' });
  const keys = { subKey: api, partnerKey: owner.api };
  return { ...statuses, owner, merchant, keys, known, checkoutUrl, challengeUrl, cardholderUrl, funnelId, testClockId };
}

/** The address of the hosted page of a subscription whose bank asks for the cardholder. */
async function pastDueUrl(platform: TestPlatform, { api, instrument }: SeededAccount, priceId: string) {
  const { customerId } = await instrument('4000002760003184');
  const { id } = await api.ok('/subscriptions/create', { customerId, priceId, trialDays: 1 });
  const { pool, clock } = platform.services;
  await pool.query(
    `UPDATE subscriptions
    SET "currentPeriodStart" = "currentPeriodStart" - interval '1 day', "currentPeriodEnd" = $2, "dueAt" = $2
    WHERE id = $1`,
    [id, clock.now()],
  );
  await runDueSubscriptions(platform.services);
  // Another world that is made meanwhile may run it, too, and not have ended yet.
  return vi.waitFor(
    async () => {
      const { actionRequired } = await api.ok(`/subscriptions/${id}`);
      expect(actionRequired).not.toBeNull();
      return actionRequired.url as string;
    },
    { timeout: 15_000 },
  );
}

export function postJson(url: string, body: object): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
}

export async function setStatuses(platform: TestPlatform, { owner, merchant, partner, account }: StatusWorld) {
  const { pool } = platform.services;
  await pool.query('UPDATE partners SET status = $1 WHERE id = $2', [partner, owner.id]);
  await pool.query('UPDATE processing_accounts SET status = $1 WHERE id = $2', [account, merchant.id]);
}
