import { afterAll, beforeAll, expect } from 'vitest';
import { checkoutToken } from '../../../src/domains/funnels/sessions/rows.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import type { Answer } from '../../support/client.ts';
import { startTestPlatform, type TestPlatform, type TestPlatformOptions } from '../../support/platform.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../../support/seed.ts';
import { addFunnel } from './example-funnel.ts';

interface Visitor {
  id: string;
  token: string;
  ask(path?: string, body?: unknown): Promise<Answer>;
}

const cardOf = (cardNumber: string) => ({ cardNumber, expMonth: 12, expYear: 2039, cvc: '123' });

/**
 * Follows the redirect and submits an answer there as a form does. Returns the cookie set for the return, and the
 * return URL.
 */
export async function answerBank(url: string, outcome: string): Promise<{ cookie: string; back: string }> {
  const sent = await fetch(url, { redirect: 'manual' });
  expect([sent.status, sent.headers.get('referrer-policy')]).toEqual([303, 'no-referrer']);
  const answered = await fetch(sent.headers.get('location') ?? '', {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ outcome }),
  });
  return { cookie: sent.headers.get('set-cookie') ?? '', back: answered.headers.get('location') ?? '' };
}

/** A platform with a merchant's default funnel, and its visitors, for the tests of a file. */
export function checkoutWorld(options: TestPlatformOptions = {}) {
  const clock = manualClock(new Date('2026-06-01T12:00:00.000Z'));
  let platform: TestPlatform;
  let partner: SeededPartner;
  let account: SeededAccount;
  beforeAll(async () => {
    platform = await startTestPlatform({ ...options, clock });
    partner = await seedPartner(platform);
    account = await partner.account();
    await addFunnel(account, { isDefault: true });
  });
  afterAll(() => platform?.close());

  async function ask(token: string, path = '', body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${platform.url}/checkout/sessions/${token}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  async function visitor(more: Record<string, unknown> = {}, client = account): Promise<Visitor> {
    // Rate limits reset after a minute, so that tests do not limit one another.
    clock.advance(61_000);
    const { id } = await client.api.ok('/funnel-sessions', more);
    const token = checkoutToken(platform.services.config, id);
    const asking: Visitor['ask'] = (path, body) => {
      clock.advance(1);
      return ask(token, path, body);
    };
    return { id, token, ask: asking };
  }

  let attempts = 0;
  const payment = (cardNumber = '4242 4242 4242 4242', more = {}) => ({
    stepId: 'checkout',
    attemptId: `attempt-${++attempts}`,
    email: 'visitor@example.com',
    ...cardOf(cardNumber),
    ...more,
  });
  const atCheckout = async (more = {}) => {
    const shopper = await visitor(more);
    await shopper.ask('/next', { stepId: 'landing' });
    return shopper;
  };
  const ordersOf = async (id: string) =>
    (
      await platform.services.prisma.funnelOrder.findMany({
        where: { sessionId: id },
        include: { order: true },
        orderBy: { createdAt: 'asc' },
      })
    ).map(({ stepId, order }) => `${stepId} ${order.amount} ${order.status}`);
  const paymentsOf = (id: string) =>
    platform.services.prisma.payment.count({ where: { order: { funnelOrders: { some: { sessionId: id } } } } });
  const stepOf = async (id: string) => (await account.api.ok(`/funnel-sessions/${id}`)).currentStepId;

  return {
    get platform() {
      return platform;
    },
    get partner() {
      return partner;
    },
    get account() {
      return account;
    },
    clock,
    ask,
    visitor,
    payment,
    atCheckout,
    ordersOf,
    paymentsOf,
    stepOf,
  };
}
