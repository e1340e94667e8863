import { beforeEach, describe, expect, test } from 'vitest';
import { linearMatch } from '../../../src/domains/block-rules/patterns.ts';
import { type Rule, ruleHits } from '../../../src/domains/block-rules/rule-match.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { usePlatform } from '../../support/platform.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';

const hourMs = 3_600_000;
const clock = manualClock(new Date('2026-05-05T05:05:05Z'));

let account: SeededAccount;
const platform = await usePlatform({ clock });
const partner = await seedPartner(platform);

beforeEach(async () => {
  account = await partner.account();
});

describe('a rule', () => {
  const charge = {
    keys: new Set(['email:a@b.co', 'bin:424242']),
    texts: { emailRegex: 'a@b.co', binRegex: '42424242', panRegex: '4242424242424242' },
  };
  const patterns = (more: Partial<Rule> = {}): Rule => ({ operator: 'OR', keys: [], patterns: {}, ...more });
  test.each([
    ['OR, one key of two', { keys: ['email:x@y.co', 'bin:424242'] }, true],
    ['OR, no key', { keys: ['email:x@y.co'] }, false],
    ['AND, both keys', { operator: 'AND', keys: ['email:a@b.co', 'bin:424242'] }, true],
    ['AND, one key of two', { operator: 'AND', keys: ['email:a@b.co', 'bin:555555'] }, false],
    ['OR, a pattern alone', { keys: ['email:x@y.co'], patterns: { emailRegex: 'B\\.CO$' } }, true],
    ['AND, key and pattern', { operator: 'AND', keys: ['bin:424242'], patterns: { panRegex: '^4242' } }, true],
    ['AND, key without pattern', { operator: 'AND', keys: ['bin:424242'], patterns: { panRegex: '^5' } }, false],
    ['AND, nothing at all', { operator: 'AND' }, false],
  ] as const)('%s: %s', async (_what, rule, hits) =>
    expect(await ruleHits(patterns(rule), charge, async (pattern, text) => linearMatch(pattern, text))).toBe(hits));
});

describe('POST /block-rules', () => {
  test('200: expires after 24 hours by default; of a card number only the last four digits are returned', async () => {
    const { id, ...rule } = await account.api.ok('/block-rules', {
      name: 'Stolen',
      pan: '4242 4242 4242 4242',
      emailRegex: '@mailinator\\.',
    });
    expect(id).toMatch(/^rule_/);
    expect(rule).toMatchObject({
      name: 'Stolen',
      operator: 'OR',
      storeId: null,
      panLast4: '4242',
      emailRegex: '@mailinator\\.',
      email: null,
      isPermanent: false,
      ttlHours: 24,
      expiresAt: '2026-05-06T05:05:05.000Z',
    });
    const kept = await platform.services.pool.query(
      'SELECT to_jsonb(r)::text AS text FROM block_rules r WHERE id = $1',
      [id],
    );
    expect(kept.rows[0].text).not.toContain('42424242');
  });

  test.each([
    ['', { name: 'x' }],
    ['name', { email: 'a@b.co' }],
    ['emailRegex', { name: 'x', emailRegex: '(' }],
    ['panRegex', { name: 'x', panRegex: '(?=4)' }],
    ['emailRegex', { name: 'x', emailRegex: 'a'.repeat(201) }],
    ['bin', { name: 'x', bin: '42424' }],
    ['pan', { name: 'x', pan: '4242' }],
    ['ipAddress', { name: 'x', ipAddress: '1.2.3' }],
    ['ttlHours', { name: 'x', country: 'US', ttlHours: 0 }],
    ['ttlHours', { name: 'x', country: 'US', ttlHours: 8761 }],
    ['ttlHours', { name: 'x', country: 'US', ttlHours: 1, isPermanent: true }],
    ['operator', { name: 'x', country: 'US', operator: 'XOR' }],
  ])('400 naming %j', async (path, body) => {
    const answer = await account.api.call('/block-rules', body);
    expect([answer.status, answer.body.data.issues[0].path]).toEqual([400, path]);
  });

  test('200 for 1 and for 8760 hours; metadata is stored with the rule', async () => {
    for (const ttlHours of [1, 8760]) {
      const metadata = { note: `for ${ttlHours}` };
      const { id } = await account.api.ok('/block-rules', { name: 'x', country: 'US', ttlHours, metadata });
      expect(await account.api.ok(`/block-rules/${id}`)).toMatchObject({
        ttlHours,
        metadata,
        expiresAt: new Date(clock.now().getTime() + ttlHours * hourMs).toISOString(),
      });
    }
  });

  test('a partner key names the store, and the rule applies to that store only', async () => {
    expect((await partner.api.call('/block-rules', { name: 'x', country: 'US' })).status).toBe(400);
    expect(await partner.api.ok('/block-rules', { name: 'x', country: 'US', storeId: account.storeId })).toMatchObject({
      storeId: account.storeId,
      platformAccountId: account.id,
    });
  });

  test('409 limit_reached for the 101st rule with patterns', async () => {
    const { platformAccountId, partnerId, mode } = await platform.services.prisma.store.findUniqueOrThrow({
      where: { id: account.storeId },
    });
    const row = {
      platformAccountId,
      partnerId,
      mode,
      name: 'x',
      operator: 'OR',
      criteria: { panRegex: '^9' },
      keys: [],
      hasPatterns: true,
      isPermanent: true,
      createdAt: clock.now(),
      updatedAt: clock.now(),
    };
    await platform.services.prisma.blockRule.createMany({
      data: Array.from({ length: 99 }, (_, index) => ({ id: `rule_${account.id}${index}`, ...row })),
    });
    await account.api.ok('/block-rules', { name: 'x', panRegex: '^4' });
    expect((await account.api.call('/block-rules', { name: 'x', panRegex: '^4' })).body.data.reason).toBe(
      'limit_reached',
    );
    expect((await account.api.call('/block-rules', { name: 'x', country: 'US' })).status).toBe(200);
  });
});

describe('a charge', () => {
  const outcome = async (card?: string, more = {}) => {
    const { payment, transactions } = await account.charge(card, more);
    return payment['failureCode'] === 'blocked_by_rule'
      ? {
          blocked: payment['failureMessage'],
          status: payment['status'],
          subStatus: payment['subStatus'],
          attempts: transactions.length,
        }
      : payment['status'];
  };

  test('is declined by a rule before any processor is called, and the rule is named', async () => {
    const { id } = await account.api.ok('/block-rules', { name: 'No Dutch', country: 'NL' });
    expect(await outcome('tok_visa', { billingAddress: { country: 'NL' } })).toEqual({
      blocked: `Blocked by the rule "No Dutch" (${id}).`,
      status: 'declined',
      subStatus: null,
      attempts: 0,
    });
    expect(await outcome('tok_mastercard')).toBe('succeeded');
  });

  test.each([
    ['pan', () => ({ pan: '4242424242424242' })],
    ['panRegex', () => ({ panRegex: '^42424242\\*{4}4242$' })],
    ['binRegex', () => ({ binRegex: '^4242' })],
    ['emailRegex', () => ({ emailRegex: '@EXAMPLE\\.COM$' })],
    ['country', () => ({ country: 'NL' })],
  ])('is blocked by %s', async (name, criterion) => {
    await account.api.ok('/block-rules', { name, ...criterion() });
    expect(await outcome('tok_visa', { billingAddress: { country: 'NL' } })).toMatchObject({ status: 'declined' });
  });

  test.each([
    ['IPv4', '203.0.113.7', '203.0.113.7', '203.0.113.8'],
    ['IPv4-mapped', '::ffff:203.0.113.7', '203.0.113.7', '203.0.113.70'],
    ['IPv6 in another spelling', '2001:DB8:0:0::1', '2001:db8::1', '2001:db8::2'],
  ])('is blocked by the ipAddress of its payerIp, %s, and by no other', async (_what, ipAddress, payerIp, other) => {
    await account.api.ok('/block-rules', { name: 'address', ipAddress });
    expect(await outcome('tok_visa', { payerIp })).toMatchObject({ status: 'declined' });
    expect(await outcome('tok_visa', { payerIp: other })).toBe('succeeded');
  });

  test('is not blocked by the address of the server that requests it, with a payerIp or without', async () => {
    for (const ipAddress of ['127.0.0.1', '::1']) await account.api.ok('/block-rules', { name: 'server', ipAddress });
    expect(await outcome()).toBe('succeeded');
    expect(await outcome('tok_visa', { payerIp: '203.0.113.7' })).toBe('succeeded');
    expect(await outcome('tok_visa', { payerIp: '127.0.0.1' })).toMatchObject({ status: 'declined' });
  });

  test.each([['1.2.3'], ['0x7f.1'], ['example.com'], [''], [7]])('400 naming payerIp for %j', async (payerIp) => {
    const { id: paymentInstrumentId } = await account.instrument();
    const answer = await account.api.call('/payments/process', {
      paymentInstrumentId,
      amount: 1,
      currency: 'USD',
      payerIp,
    });
    expect([answer.status, answer.body.data.issues[0].path]).toEqual([400, 'payerIp']);
  });

  test('is blocked by customerId, email in any case, and the card of a payment', async () => {
    for (const criterion of ['customerId', 'email', 'paymentId'] as const) {
      account = await partner.account();
      const { payment } = await account.charge();
      const customer = await account.api.ok(`/customers/${payment['customerId']}`);
      await account.api.ok('/block-rules', {
        name: criterion,
        [criterion]: { customerId: customer.id, email: customer.email.toUpperCase(), paymentId: payment['id'] }[
          criterion
        ],
      });
      const again = await account.api.ok('/payments/process', {
        paymentInstrumentId: payment['paymentInstrumentId'],
        amount: 1,
        currency: 'USD',
      });
      expect(again.payment.failureCode).toBe('blocked_by_rule');
      expect(await outcome('tok_mastercard')).toBe('succeeded');
    }
  });

  test('is blocked by AND only when all criteria match', async () => {
    await account.api.ok('/block-rules', { name: 'both', operator: 'AND', bin: '424242', country: 'NL' });
    expect(await outcome('tok_visa', { billingAddress: { country: 'BE' } })).toBe('succeeded');
    expect(await outcome('tok_visa', { billingAddress: { country: 'NL' } })).toMatchObject({ status: 'declined' });
  });

  test('passes once the rule has expired, was deleted, or is for another store or account', async () => {
    const { id } = await account.api.ok('/block-rules', { name: 'an hour', bin: '424242', ttlHours: 1 });
    expect(await outcome()).toMatchObject({ status: 'declined' });
    clock.advance(hourMs);
    expect(await outcome()).toBe('succeeded');
    await account.api.ok(`/block-rules/${id}`, { isPermanent: true }, { method: 'PUT' });
    expect(await outcome()).toMatchObject({ status: 'declined' });
    expect(await account.api.ok(`/block-rules/${id}`, undefined, { method: 'DELETE' })).toEqual({ id, deleted: true });
    expect(await outcome()).toBe('succeeded');
    const elsewhere = await account.api.ok('/stores/create', { name: 'Other' });
    await account.api.ok('/block-rules', { name: 'other store', bin: '424242', storeId: elsewhere.id });
    expect(await outcome()).toBe('succeeded');
    expect(await outcome('tok_visa', { storeId: elsewhere.id })).toMatchObject({ status: 'declined' });
  });

  test('a blocked charge answers the same under its Idempotency-Key, and an earlier one keeps its answer', async () => {
    const { id } = await account.instrument();
    const charge = (key: string) =>
      account.api.call(
        '/payments/process',
        { paymentInstrumentId: id, amount: 1, currency: 'USD' },
        { headers: { 'Idempotency-Key': key } },
      );
    const before = await charge('before');
    await account.api.ok('/block-rules', { name: 'x', bin: '424242' });
    const blocked = await charge('blocked');
    expect(blocked.body.payment.failureCode).toBe('blocked_by_rule');
    expect((await charge('blocked')).body).toEqual(blocked.body);
    expect((await charge('before')).body).toEqual(before.body);
  });

  test('fails its order, which another card can still pay', async () => {
    const order = await account.api.ok('/orders/create', {
      currency: 'USD',
      items: [{ name: 'x', quantity: 1, unitAmount: 2500 }],
    });
    await account.api.ok('/block-rules', { name: 'x', bin: '424242' });
    await outcome('tok_visa', { orderId: order.id });
    expect((await account.api.ok(`/orders/${order.id}`)).status).toBe('failed');
    await outcome('tok_mastercard', { orderId: order.id });
    expect((await account.api.ok(`/orders/${order.id}`)).status).toBe('paid');
  });
});

test('PUT changes what it names; the last criterion stays; 404 for another account', async () => {
  const { id } = await account.api.ok('/block-rules', {
    name: 'x',
    pan: '4242424242424242',
    country: 'NL',
    isPermanent: true,
  });
  const changed = await account.api.ok(
    `/block-rules/${id}`,
    { name: 'y', country: null, ttlHours: 2 },
    { method: 'PUT' },
  );
  expect(changed).toMatchObject({ name: 'y', panLast4: '4242', country: null, isPermanent: false, ttlHours: 2 });
  expect((await account.charge()).payment['failureCode']).toBe('blocked_by_rule');
  expect((await account.api.call(`/block-rules/${id}`, { pan: null }, { method: 'PUT' })).status).toBe(400);
  const other = await partner.account();
  for (const method of ['GET', 'PUT', 'DELETE'] as const)
    expect(
      (await other.api.call(`/block-rules/${id}`, method === 'PUT' ? { name: 'z' } : undefined, { method })).status,
    ).toBe(404);
});

test('POST /block-rules/list: by name, with a total', async () => {
  for (const name of ['b', 'a', 'c']) await account.api.ok('/block-rules', { name, country: 'NL' });
  const { items, total } = await account.api.ok('/block-rules/list', {
    sortBy: { field: 'name', direction: 'asc' },
    pageSize: 2,
  });
  expect([items.map(({ name }: { name: string }) => name), total]).toEqual([['a', 'b'], 3]);
});

test('blacklistCustomer on a refund blocks the customer permanently, with any card', async () => {
  const { payment } = await account.charge();
  await account.api.ok('/payments/refund', { paymentId: payment['id'], blacklistCustomer: true });
  const { items } = await account.api.ok('/block-rules/list', {});
  expect(items).toMatchObject([
    { customerId: payment['customerId'], isPermanent: true, expiresAt: null, operator: 'OR' },
  ]);
  const again = await account.api.ok('/payments/process', {
    paymentInstrumentId: payment['paymentInstrumentId'],
    amount: 1,
    currency: 'USD',
  });
  expect(again.payment.failureMessage).toContain(items[0].id);
});
