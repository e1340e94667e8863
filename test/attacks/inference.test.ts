import { describe, expect, test } from 'vitest';
import { manualClock } from '../../src/lib/clock.ts';
import { siblingNumbers } from '../support/card-numbers.ts';
import type { Answer } from '../support/client.ts';
import { endpoints } from '../support/operations.ts';
import { usePlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';
import { comparable } from '../support/worlds.ts';

const clock = manualClock(new Date('2026-05-05T05:05:05Z'));

const platform = await usePlatform({ clock });

/** A world is an account with one stored card, seen with a sub-key. */
interface World {
  account: SeededAccount;
  instrument: { id: string; customerId: string };
}

async function worldWith(cardNumber: string): Promise<World> {
  const account = await (await seedPartner(platform)).account();
  return { account, instrument: await account.instrument(cardNumber) };
}

/** Runs the same calls in two worlds, and returns what each of them answered. */
async function inBoth(
  numbers: readonly string[],
  script: (world: World, call: (path: string, body?: unknown) => Promise<Answer>) => Promise<void>,
): Promise<string[]> {
  const seen: string[] = [];
  for (const number of numbers) {
    const world = await worldWith(number);
    const answers: Answer[] = [];
    await script(world, async (path, body) => {
      clock.advance(1_000);
      const answer = await world.account.api.call(path, body);
      // Events of one call have the same time, so their order in the list is that of their random identifiers.
      if (path === '/events/list')
        answer.body.items.sort((one: { type: string }, other: { type: string }) => one.type.localeCompare(other.type));
      answers.push(answer);
      return answer;
    });
    seen.push(comparable(answers));
  }
  return seen;
}

describe('two stored cards with the same first 8 and last 4 digits', () => {
  const numbers = [siblingNumbers(2)[0] ?? '', siblingNumbers(1_000).at(-1) ?? ''];

  test('answer the same to every panRegex about a hidden digit, in answers, lists and events', async () => {
    const [first, second] = await inBoth(numbers, async ({ instrument }, call) => {
      const requested = [8, 9, 10, 11].flatMap((position) =>
        ['[0-4]', '[02468]', '0', '9', '\\d'].map((digits) => `^.{${position}}${digits}`),
      );
      for (const panRegex of [...requested, ...numbers.map((number) => `^${number}$`), '\\d{9}', '(\\d)\\d*7\\d+'])
        await call('/block-rules', { name: panRegex, panRegex });
      await call('/payments/process', { paymentInstrumentId: instrument.id, amount: 100, currency: 'USD' });
      await call('/payments', {});
      await call('/block-rules/list', {});
      await call('/events/list', {});
    });
    expect(first).toContain('"status": "succeeded"');
    expect(second).toBe(first);
  });

  test('answer the same message for a hit of any rule about the card, which names no rule', async () => {
    const [number = ''] = numbers;
    const hits = [
      { bin: number.slice(0, 6) },
      { binRegex: `^${number.slice(0, 8)}$` },
      { pan: number },
      { panRegex: `^${number.slice(0, 8)}\\*{4}${number.slice(-4)}$` },
      { operator: 'AND', pan: number, emailRegex: '@' },
    ];
    const messages: unknown[] = [];
    for (const criteria of hits) {
      const { account, instrument } = await worldWith(number);
      const rule = await account.api.ok('/block-rules', { name: 'Secret name', ...criteria });
      const { payment } = await account.api.ok('/payments/process', {
        paymentInstrumentId: instrument.id,
        amount: 100,
        currency: 'USD',
      });
      const events = await account.api.ok('/events/list', {});
      expect(JSON.stringify([payment, events])).not.toContain(rule.id);
      expect(JSON.stringify([payment, events])).not.toContain('Secret name');
      messages.push([payment.status, payment.failureCode, payment.failureMessage]);
    }
    expect(new Set(messages.map((message) => JSON.stringify(message)))).toEqual(
      new Set(['["declined","blocked_by_rule","Blocked by a block rule."]']),
    );
  });
});

describe('two accounts whose submitted KYB values differ', () => {
  const values = { first: 'DE0000000001', second: 'A tax number of another length, with much more text' };

  async function answersOf(value: string): Promise<string> {
    const partner = await seedPartner(platform);
    const account = await partner.account();
    const path = `/accounts/${account.id}/kyb`;
    const items = (['business.tax_id', 'banking.account', 'representative.identity'] as const).map((code) => ({
      code,
      value: code === 'business.tax_id' ? value : { [code === 'banking.account' ? 'iban' : 'idNumber']: value },
    }));
    const answers: Answer[] = [];
    const submitted = await partner.api.call(`${path}/submit`, { items });
    answers.push(submitted);
    // The same again, and the value of the other world: a submission must not say whether it is the stored one.
    for (const again of [value, ...Object.values(values)]) {
      clock.advance(1_000);
      answers.push(await partner.api.call(`${path}/submit`, { items: [{ code: 'business.tax_id', value: again }] }));
    }
    // Every endpoint that a sub-key can ask without naming another row.
    const requested = endpoints.filter(({ scopes, isMutation }) => scopes.partnerKey !== true && !isMutation);
    for (const { method, path: at } of requested) {
      const own = at.replace(':platformAccountId', account.id).replace(':storeId', account.storeId);
      if (!own.includes(':')) answers.push(await account.api.call(own, method === 'GET' ? undefined : {}, { method }));
    }
    // Events of one time are in the order of their random identifiers.
    const place = ({ type, sequence }: Record<string, unknown>) => `${type} ${sequence}`;
    for (const { body } of answers) {
      body.items?.sort((one: object, other: object) => (place({ ...one }) < place({ ...other }) ? -1 : 1));
      delete body.keyPrefix;
    }
    expect(submitted.status).toBe(200);
    expect(JSON.stringify(answers)).not.toContain(value);
    return comparable(answers);
  }

  test('answer the same to every submission, and to everything that a sub-key can read and list', async () => {
    clock.set(new Date('2026-05-06T00:00:00Z'));
    const first = await answersOf(values.first);
    expect(first).toContain('business.tax_id');
    expect(await answersOf(values.second)).toBe(first);
  });
});
