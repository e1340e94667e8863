import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { checkoutToken } from '../../src/domains/funnels/sessions/rows.ts';
import { purgeOldRows } from '../../src/jobs/retention.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { networkOf } from '../../src/lib/network.ts';
import { keeps } from '../../src/registry.ts';
import { addFunnel } from '../domains/funnels/example-funnel.ts';
import { siblingNumbers } from '../support/card-numbers.ts';
import type { Answer } from '../support/client.ts';
import { startTestPlatform, type TestPlatform, usePlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const clock = manualClock(new Date('2026-06-01T12:00:00.000Z'));

let account: SeededAccount;
let home = 0;
// The header of the proxy gives each visitor an address.
const env = { TRUST_PROXY: '1' };
const platform = await usePlatform({ clock, env });
const second = await startTestPlatform({ clock, env, databaseUrl: platform.databaseUrl });
const partner = await seedPartner(platform);
afterAll(async () => {
  await second?.close();
});
beforeEach(async () => {
  clock.advance(2 * minuteMs);
  home += 1;
  account = await partner.account();
  await addFunnel(account, { isDefault: true });
});

/** An address of a network that no other test uses. */
const addressAt = (host: string, network = 0): string => `2001:db8:${home}:${network}::${host}`;

let attempts = 0;
interface Visitor {
  id: string;
  pay(cardNumber?: string, from?: string, at?: TestPlatform): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
}

async function atCheckout(more: Record<string, unknown> = {}, merchant = account): Promise<Visitor> {
  const { id } = await merchant.api.ok('/funnel-sessions', more);
  const token = checkoutToken(platform.services.config, id);
  const post = async (path: string, body: unknown, from = addressAt('1'), at = platform): Promise<Answer> => {
    clock.advance(1);
    const response = await fetch(`${at.url}/checkout/sessions/${token}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': from },
      body: JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  await post('/next', { stepId: 'landing' });
  return {
    id,
    post: (path, body) => post(path, body),
    pay: (cardNumber = '4000000000000002', from, at) =>
      post(
        '/pay',
        {
          stepId: 'checkout',
          attemptId: `attempt-${++attempts}`,
          email: 'visitor@example.com',
          cardNumber,
          expMonth: 12,
          expYear: 2039,
          cvc: '123',
        },
        from,
        at,
      ),
  };
}

/** Declines of the past, as other visitors made them. */
async function declinesOf(count: number, { storeId = 'store_elsewhere', network = '192.0.2.1' }): Promise<void> {
  await platform.services.pool.query(
    `INSERT INTO limits.card_attempts (id, "sessionId", "storeId", network, state, at)
     SELECT 'pay_' || gen_random_uuid(), 'fs_' || gen_random_uuid(), $2, $3, 'declined', $4
     FROM generate_series(1, $1)`,
    [count, storeId, network, clock.now()],
  );
}
const networkAt = (): string => networkOf(addressAt('1'));
const stored = () => platform.services.prisma.token.count({ where: { platformAccountId: account.id } });
const declined = (answer: Answer): boolean => answer.status === 200 && answer.body.payment?.status === 'declined';

describe('a checkout session', () => {
  test('takes 10 declined cards, and then 409 for any card, which is not stored', async () => {
    const shopper = await atCheckout();
    for (let turn = 0; turn < 10; turn++) expect(declined(await shopper.pay())).toBe(true);
    const before = await stored();
    clock.advance(23 * 60 * minuteMs);
    for (const card of ['4000000000000002', '4242424242424242']) {
      const { status, body } = await shopper.pay(card);
      expect([status, body.data.reason]).toEqual([409, 'invalid_state']);
    }
    expect(await stored()).toBe(before);
    expect((await (await atCheckout()).pay('4242424242424242')).status).toBe(200);
  });

  test('counts declines only: not cards that are refused, nor repeats of an attempt', async () => {
    const shopper = await atCheckout();
    for (let turn = 0; turn < 11; turn++) expect((await shopper.pay('4000000000000003')).status).toBe(400);
    clock.advance(minuteMs);
    for (let turn = 0; turn < 9; turn++) expect(declined(await shopper.pay())).toBe(true);
    expect((await shopper.pay('4242424242424242')).body.step.id).toBe('upsell');
  });

  test('takes exactly 10 declined cards of those that come at once to two servers', async () => {
    const shopper = await atCheckout();
    for (let turn = 0; turn < 9; turn++) await shopper.pay();
    clock.advance(minuteMs);
    await Promise.all(
      Array.from({ length: 8 }, (_, index) => shopper.pay(undefined, undefined, index % 2 === 0 ? platform : second)),
    );
    const where = { status: 'declined', order: { funnelOrders: { some: { sessionId: shopper.id } } } };
    expect(await platform.services.prisma.payment.count({ where })).toBe(10);
  });

  test('counts a card that is declined after its challenge', async () => {
    const shopper = await atCheckout();
    for (let turn = 0; turn < 9; turn++) await shopper.pay();
    expect((await shopper.pay('4000008400001629')).body.payment.status).toBe('requires_action');
    const session = await platform.services.prisma.threeDsSession.findFirstOrThrow({
      where: { payment: { order: { funnelOrders: { some: { sessionId: shopper.id } } } } },
    });
    await fetch(`${platform.url}/test/3ds/${session.id}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"outcome":"success"}',
    });
    expect((await shopper.post('/continue', {})).body.payment.status).toBe('declined');
    expect((await shopper.pay()).status).toBe(409);
  });
});

describe('an address', () => {
  test('has 50 declines an hour over its /64 and all stores, then 429 with Retry-After until one is an hour old', async () => {
    await declinesOf(49, { network: networkAt() });
    clock.advance(10 * minuteMs);
    expect(declined(await (await atCheckout()).pay(undefined, addressAt('a')))).toBe(true);
    const other = await partner.account();
    await addFunnel(other, { isDefault: true });
    for (const merchant of [account, other]) {
      const { status, headers } = await (await atCheckout({}, merchant)).pay(undefined, addressAt('b'));
      expect([status, headers.get('retry-after')]).toEqual([429, String(50 * 60)]);
    }
    const shopper = await atCheckout();
    expect((await shopper.pay('4242424242424242', addressAt('1', 1))).status).toBe(200);
    clock.advance(50 * minuteMs);
    expect(declined(await (await atCheckout()).pay(undefined, addressAt('b')))).toBe(true);
  });

  test('is an IPv4 address by itself, mapped or not', async () => {
    await declinesOf(50, { network: `198.51.100.${home}` });
    for (const from of [`198.51.100.${home}`, `::ffff:198.51.100.${home}`])
      expect((await (await atCheckout()).pay(undefined, from)).status).toBe(429);
    expect(declined(await (await atCheckout()).pay(undefined, `198.51.101.${home}`))).toBe(true);
  });

  test('passes exactly one of eight sessions at once after 49 declines, on two servers', async () => {
    await declinesOf(49, { network: networkAt() });
    const shoppers = await Promise.all(Array.from({ length: 8 }, () => atCheckout()));
    const answers = await Promise.all(
      shoppers.map((shopper, index) =>
        shopper.pay(undefined, addressAt(String(index)), index % 2 === 0 ? platform : second),
      ),
    );
    expect(answers.filter(declined).length).toBe(1);
    expect(answers.filter(({ status }) => status === 429).length).toBe(7);
  });

  test('opens at most 60 sessions a minute over its /64', async () => {
    const { items } = await account.api.ok('/funnels/list', {});
    const enter = (host: number, network = 0) =>
      fetch(`${platform.url}/checkout/funnels/${items[0].id}`, {
        redirect: 'manual',
        headers: { 'X-Forwarded-For': addressAt(String(host), network) },
      });
    for (let host = 0; host < 60; host++) expect((await enter(host)).status).not.toBe(429);
    const refused = await enter(61);
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect((await enter(1, 1)).status).not.toBe(429);
  });
});

describe('a store', () => {
  test('has 100 declines in ten minutes, then 429 with Retry-After; another store is not hit', async () => {
    await declinesOf(99, { storeId: account.storeId });
    clock.advance(minuteMs);
    expect(declined(await (await atCheckout()).pay(undefined, addressAt('1', 1)))).toBe(true);
    const refused = await (await atCheckout()).pay('4242424242424242', addressAt('1', 2));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, String(9 * 60)]);
    const other = await partner.account();
    await addFunnel(other, { isDefault: true });
    expect((await (await atCheckout({}, other)).pay('4242424242424242', addressAt('1', 2))).status).toBe(200);
    clock.advance(9 * minuteMs);
    expect((await (await atCheckout()).pay('4242424242424242', addressAt('1', 2))).status).toBe(200);
  });
});

test('an account has 20 numbers a day that share their shown digits, checkout pages included: the next is 429 there', async () => {
  const numbers = siblingNumbers(21);
  for (const cardNumber of numbers.slice(0, 19))
    await account.api.ok('/payment-instruments/tokenize', { cardNumber, expMonth: 12, expYear: 2039, cvc: '123' });
  expect((await (await atCheckout()).pay(numbers[19])).status).toBe(200);
  const before = await stored();
  const refused = await (await atCheckout()).pay(numbers[20]);
  const leftMs = dayMs - (clock.now().getTime() % dayMs);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, String(Math.ceil(leftMs / 1000))]);
  expect(await stored()).toBe(before);
});

describe('the card of a visitor', () => {
  const cardsOf = async (customerId: string) =>
    (await account.api.ok('/payment-instruments/list', { filters: { customerId } })).items;

  test('does not join an existing customer with the same email address, in any case', async () => {
    const { id } = await account.api.ok('/customers/create', {
      email: 'Visitor@Example.com',
    });
    const shopper = await atCheckout();
    await shopper.pay();
    await shopper.pay('4242424242424242');
    expect(await cardsOf(id)).toEqual([]);
    const { items } = await account.api.ok('/customers/list', {});
    expect(items.length).toBe(2);
    const [guest] = items.filter((customer: { id: string }) => customer.id !== id);
    expect((await cardsOf(guest.id)).length).toBe(2);
    expect((await account.api.ok('/customers/create', { email: 'visitor@example.com' })).id).toBe(id);
  });

  test('does not join the visitor of another session, and does not become the merchant customer later', async () => {
    for (let turn = 0; turn < 2; turn++) await (await atCheckout()).pay('4242424242424242');
    const { items: guests } = await account.api.ok('/customers/list', {});
    expect(guests.length).toBe(2);
    const { id } = await account.api.ok('/customers/create', { email: 'visitor@example.com' });
    expect(guests.map((guest: { id: string }) => guest.id)).not.toContain(id);
  });

  test('joins the customer for whom the merchant opened the session, with that email address only', async () => {
    const { id } = await account.api.ok('/customers/create', { email: 'visitor@example.com' });
    await (await atCheckout({ customerId: id })).pay('4242424242424242');
    expect((await cardsOf(id)).length).toBe(1);
    const other = await account.api.ok('/customers/create', { email: 'other@example.com' });
    await (await atCheckout({ customerId: other.id })).pay('4242424242424242');
    expect(await cardsOf(other.id)).toEqual([]);
  });
});

test('attempts are forgotten after a week', async () => {
  await declinesOf(1, { network: networkAt() });
  const left = async () =>
    (await platform.services.pool.query('SELECT 1 FROM limits.card_attempts WHERE network = $1', [networkAt()]))
      .rowCount;
  clock.advance(7 * 24 * 60 * minuteMs);
  await purgeOldRows(platform.services, keeps);
  expect(await left()).toBe(1);
  clock.advance(1);
  await purgeOldRows(platform.services, keeps);
  expect(await left()).toBe(0);
});
