import { beforeEach, describe, expect, test } from 'vitest';
import { patternSize } from '../../src/graph/scalars/pattern-size.ts';
import { usePlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

let account: SeededAccount;
const platform = await usePlatform();
const partner = await seedPartner(platform);

beforeEach(async () => {
  account = await partner.account();
});

/** As long as an email address may be, of letters only before the `@`. */
const longEmail = `${'a'.repeat(64)}@${'b'.repeat(61)}.${'c'.repeat(61)}.${'d'.repeat(61)}.com`;
const largest = '([a-z]?){124}\\d';
const tooLarge = '([a-z]?){125}\\d';
const fields = ['emailRegex', 'binRegex', 'panRegex'] as const;

async function longCustomer(): Promise<string> {
  const { token } = await account.api.ok('/payment-instruments/tokenize', {
    cardNumber: '4242424242424242',
    expMonth: 12,
    expYear: 2040,
    cvc: '123',
  });
  const { paymentInstrument } = await account.api.ok('/payment-instruments/create-from-token', {
    token,
    customerData: { email: longEmail },
  });
  return paymentInstrument.id;
}

async function charge(paymentInstrumentId: string) {
  const { payment } = await account.api.ok('/payments/process', { paymentInstrumentId, amount: 100, currency: 'USD' });
  return payment;
}

/**
 * The most processor time that one turn of the loop took, in the calmest of some runs: the others may contain a garbage
 * collection. Other processes do not change it.
 */
async function heldMs(run: () => Promise<unknown>): Promise<number> {
  const held: number[] = [];
  for (let time = 0; time < 6; time++) {
    let isRunning = true;
    let longest = 0;
    let before = process.threadCpuUsage();
    const turn = () => {
      const { user, system } = process.threadCpuUsage(before);
      longest = Math.max(longest, user + system);
      before = process.threadCpuUsage();
      if (isRunning) setImmediate(turn);
    };
    setImmediate(turn);
    await run();
    isRunning = false;
    held.push(longest / 1_000);
  }
  return Math.min(...held);
}

describe('a pattern', () => {
  test.each(fields)('400 naming %s and its size above 500 instructions, 200 below', async (field) => {
    const refused = await account.api.call('/block-rules', { name: 'x', [field]: tooLarge });
    expect([refused.status, refused.body.data.issues]).toEqual([
      400,
      [{ path: field, message: expect.stringMatching(/compiled size of at most 500 instructions, it has about 503/) }],
    ]);
    const { id } = await account.api.ok('/block-rules', { name: 'x', [field]: largest });
    const changed = await account.api.call(`/block-rules/${id}`, { [field]: tooLarge }, { method: 'PUT' });
    expect([changed.status, changed.body.data.issues[0].path]).toEqual([400, field]);
    expect((await account.api.ok(`/block-rules/${id}`))[field]).toBe(largest);
  });

  test.each([
    ['nested repetitions', '((a?){30}){30}\\d'],
    ['a long part repeated', `(${'a'.repeat(190)}){500}`],
    ['many repetitions', '.{1000}'.repeat(28)],
    ['repetitions without an end', '(abc){200,}'],
    ['optional repetitions', 'x{0,501}'],
    ['many Unicode classes', '\\PL'.repeat(30)],
    ['Unicode classes in brackets', '[^\\pL\\pN\\pS]'.repeat(15)],
    ['an unclosed group', `(${'a{100}'.repeat(9)}`],
  ])('400 for %s, before it is compiled', async (_what, emailRegex) => {
    expect(patternSize(emailRegex)).toBeGreaterThan(500);
    const honest = await heldMs(() => account.api.call('/block-rules', { name: 'x', emailRegex: '(' }));
    const held = await heldMs(async () => {
      expect((await account.api.call('/block-rules', { name: 'x', emailRegex })).status).toBe(400);
    });
    expect(held).toBeLessThan(Math.max(honest, 5) * 3);
  });

  test.each([
    ['domains', '@(first|second|example|example-mail)\\.(com|net|org)$'],
    ['an exact length', '^[a-z]{8}[0-9]{4}@'],
    ['a Unicode class', '^\\p{Cyrillic}+@'],
    ['200 characters', 'a'.repeat(200)],
  ])('200 for %s', async (_what, emailRegex) => {
    await account.api.ok('/block-rules', { name: 'x', emailRegex });
  });
});

describe('the patterns of an account', () => {
  test('409 limit_reached above 2000 instructions together, at creation and at a change', async () => {
    for (let index = 0; index < 3; index++) await account.api.ok('/block-rules', { name: 'x', emailRegex: largest });
    const { id } = await account.api.ok('/block-rules', { name: 'x', emailRegex: '^a' });
    await account.api.ok(`/block-rules/${id}`, { emailRegex: largest }, { method: 'PUT' });
    for (const answer of [
      await account.api.call('/block-rules', { name: 'x', panRegex: '^42' }),
      await account.api.call(`/block-rules/${id}`, { panRegex: '^4242' }, { method: 'PUT' }),
    ])
      expect([answer.status, answer.body.data.reason]).toEqual([409, 'limit_reached']);
    await account.api.ok('/block-rules', { name: 'x', email: 'a@example.com' });
    await account.api.ok(`/block-rules/${id}`, { emailRegex: null, bin: '424242' }, { method: 'PUT' });
    await account.api.ok('/block-rules', { name: 'x', panRegex: '^4' });
  });

  test('stay within the bound when several rules are created at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => account.api.call('/block-rules', { name: 'x', emailRegex: largest })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 409, 409, 409, 409]);
  });

  test('hold the event loop of a charge not much longer than a charge without patterns', async () => {
    const instrument = await longCustomer();
    const honest = await heldMs(() => charge(instrument));
    for (let index = 0; index < 4; index++) await account.api.ok('/block-rules', { name: 'x', emailRegex: largest });
    const held = await heldMs(async () => expect((await charge(instrument)).status).toBe('succeeded'));
    expect(held).toBeLessThan(Math.max(honest, 5) * 3);
  });
});
