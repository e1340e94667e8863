import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { purgeOldRows } from '../../src/jobs/retention.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { keeps } from '../../src/registry.ts';
import { signedIn } from '../iam/people.ts';
import { siblingNumbers } from '../support/card-numbers.ts';
import { type Answer, clientOf } from '../support/client.ts';
import { startTestPlatform, usePlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

const hourMs = 3_600_000;
const clock = manualClock(new Date('2026-05-05T05:05:05Z'));

let account: SeededAccount;
const platform = await usePlatform({ clock });
const second = await startTestPlatform({ clock, databaseUrl: platform.databaseUrl });
const partner = await seedPartner(platform);
afterAll(async () => {
  await second?.close();
});
beforeEach(async () => {
  clock.advance(1_000);
  account = await partner.account();
});

const numbers = siblingNumbers(40);
const [known = ''] = numbers;

const tokenize = (cardNumber: string, { api } = account): Promise<Answer> =>
  api.call('/payment-instruments/tokenize', { cardNumber, expMonth: 12, expYear: 2030, cvc: '123' });
const ruleAgainst = (pan: string): Promise<Answer> => account.api.call('/block-rules', { name: 'x', pan });

async function presentFirst(count: number): Promise<void> {
  for (const number of numbers.slice(0, count)) expect((await tokenize(number)).status).toBe(200);
}

async function alerts(): Promise<{ refusals: number; bin: string; last4: string; id: string }[]> {
  return platform.services.prisma.cardTestingAlert.findMany({ where: { platformAccountId: account.id } });
}

describe('a number that differs from others of the day in hidden digits only', () => {
  test('200 for the 20th, 429 with Retry-After until midnight UTC for the 21st, and 200 on the next day', async () => {
    await presentFirst(20);
    const refused = await tokenize(numbers[20] ?? '');
    const leftS = (new Date('2026-05-06T00:00:00Z').getTime() - clock.now().getTime()) / 1000;
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'TOO_MANY_REQUESTS',
      String(leftS),
    ]);
    for (const number of numbers) expect(JSON.stringify(refused.body)).not.toContain(number);
    clock.advance(leftS * 1000 - 1);
    expect((await tokenize(numbers[20] ?? '')).status).toBe(429);
    clock.advance(1);
    expect((await tokenize(numbers[20] ?? '')).status).toBe(200);
  });

  test('is counted once, however often it comes, and still answered after the bound', async () => {
    await presentFirst(20);
    await presentFirst(20);
    expect((await tokenize(numbers[20] ?? '')).status).toBe(429);
    expect((await tokenize(known)).status).toBe(200);
    expect((await ruleAgainst(known)).status).toBe(200);
    await account.instrument(known);
  });

  test('is counted over tokenize and pan criteria of new and of changed rules together', async () => {
    await presentFirst(18);
    const { body: rule } = await ruleAgainst(numbers[18] ?? '');
    const change = (pan: string) => account.api.call(`/block-rules/${rule.id}`, { pan }, { method: 'PUT' });
    expect((await change(numbers[19] ?? '')).status).toBe(200);
    const answers = [
      await change(numbers[20] ?? ''),
      await ruleAgainst(numbers[21] ?? ''),
      await tokenize(numbers[22] ?? ''),
    ];
    expect(answers.map(({ status, headers }) => [status, Number(headers.get('retry-after')) > 0])).toEqual(
      Array.from({ length: 3 }, () => [429, true]),
    );
    expect((await account.api.ok(`/block-rules/${rule.id}`)).panLast4).toBe('7890');
  });

  test('429 of create-from-token for a number that was tokenized before midnight, once the new day is used up', async () => {
    clock.set(new Date('2026-05-07T23:50:00Z'));
    const { body } = await tokenize(numbers[30] ?? '');
    clock.advance(hourMs / 4);
    await presentFirst(20);
    const exchange = () =>
      account.api.call('/payment-instruments/create-from-token', {
        token: body.token,
        customerData: { email: 'a@example.com' },
      });
    expect((await exchange()).status).toBe(429);
    expect((await account.api.ok('/payment-instruments/list', {})).total).toBe(0);
  });

  test('429 in GraphQL too, with Retry-After', async () => {
    await presentFirst(20);
    const response = await fetch(`${platform.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${account.subKey}` },
      body: JSON.stringify({
        query:
          'mutation ($n: String!) { tokenizeCard(input: {cardNumber: $n, expMonth: 1, expYear: 2030, cvc: "123"}) { ' +
          'token } }',
        variables: { n: numbers[20] },
      }),
    });
    const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] };
    expect([errors[0]?.extensions.code, Number(response.headers.get('retry-after')) > 0]).toEqual([
      'TOO_MANY_REQUESTS',
      true,
    ]);
  });

  test('is counted apart from numbers with other shown digits, and from those of other accounts', async () => {
    await presentFirst(20);
    for (const shown of [{ first8: '46012346' }, { last4: '7891' }])
      expect((await tokenize(siblingNumbers(1, shown)[0] ?? '')).status).toBe(200);
    expect((await tokenize(numbers[20] ?? '', await partner.account())).status).toBe(200);
    expect((await tokenize(numbers[20] ?? '')).status).toBe(429);
  });

  test('is counted for the account, whichever of its keys present it', async () => {
    await presentFirst(19);
    const tokenizeAs = (number = '') =>
      partner.api.call('/payment-instruments/tokenize', {
        storeId: account.storeId,
        cardNumber: number,
        expMonth: 12,
        expYear: 2030,
        cvc: '123',
      });
    expect((await tokenizeAs(numbers[19])).status).toBe(200);
    expect((await tokenizeAs(numbers[20])).status).toBe(429);
    expect((await tokenize(numbers[20] ?? '')).status).toBe(429);
  });

  test('passes exactly 20 of 40 that come at once to two servers', async () => {
    const other = { ...account, api: clientOf(second, account.subKey) };
    const answers = await Promise.all(
      numbers.map((number, index) => tokenize(number, index % 2 === 0 ? account : other)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      ...Array.from({ length: 20 }, () => 200),
      ...Array.from({ length: 20 }, () => 429),
    ]);
    expect((await alerts()).map(({ refusals }) => refusals)).toEqual([20]);
  });

  test('is not counted if it is refused for another field or its check digit', async () => {
    const call = (cardNumber: string, cvc: string) =>
      account.api.call('/payment-instruments/tokenize', { cardNumber, expMonth: 12, expYear: 2030, cvc });
    for (const number of numbers.slice(0, 25)) expect((await call(number, '1')).status).toBe(400);
    expect((await call('4601234500017890'.replace(/7890$/, '7891'), '123')).status).toBe(400);
    await presentFirst(20);
  });
});

describe('a refused number', () => {
  test('is in the audit log once a day, and never with its hidden digits', async () => {
    await presentFirst(20);
    for (const number of numbers.slice(20, 23)) await tokenize(number);
    const rows = await platform.services.prisma.auditRow.findMany({
      where: { target: account.id, action: { not: 'createAccount' } },
    });
    expect(rows).toMatchObject([
      {
        action: 'blockCardTesting',
        outcome: 'denied',
        reason: 'card_enumeration',
        after: { bin: '46012345', last4: '7890' },
      },
    ]);
    const { rows: kept } = await platform.services.pool.query(
      'SELECT (SELECT json_agg(p) FROM limits.presented_numbers p)::text AS counts, (SELECT json_agg(a) FROM ' +
        'card_testing_alerts a)::text AS alerts',
    );
    const everything = [
      JSON.stringify(kept),
      ...rows.map(({ after }) => JSON.stringify(after)),
      ...platform.logged,
    ].join('\n');
    for (const number of numbers.slice(0, 23)) expect(everything).not.toContain(number);
  });

  test('leaves an alert with the number of refusals, kept for 90 days; counts are kept for two', async () => {
    await presentFirst(20);
    for (const number of numbers.slice(20, 23)) await tokenize(number);
    expect(await alerts()).toMatchObject([{ bin: '46012345', last4: '7890', refusals: 3 }]);
    const counted = async () =>
      (
        await platform.services.pool.query('SELECT 1 FROM limits.presented_numbers WHERE "platformAccountId" = $1', [
          account.id,
        ])
      ).rowCount;
    clock.advance(24 * hourMs);
    await purgeOldRows(platform.services, keeps);
    expect(await counted()).toBe(1);
    clock.advance(24 * hourMs);
    await purgeOldRows(platform.services, keeps);
    expect([await counted(), (await alerts()).length]).toEqual([0, 1]);
    clock.advance(88 * 24 * hourMs);
    await purgeOldRows(platform.services, keeps);
    expect((await alerts()).length).toBe(0);
  });

  test.each([
    [['superadmin'], 200],
    [['hubadmin'], 200],
    [['platformpaymentAdmin'], 200],
    [[], 403],
  ])('is listed for %j: %i', async (platformRoles, status) => {
    await presentFirst(20);
    await tokenize(numbers[20] ?? '');
    const person = await signedIn(platform, { platformRoles });
    const { data, errors } = await person.graphql(
      `{ cardTestingAlerts(mode: test, partnerSlug: "${partner.slug}", pageSize: 1) {
        total items { platformAccountId bin last4 refusals }
      } }`,
    );
    if (status === 403) expect(errors[0].extensions.code).toBe('FORBIDDEN');
    else
      expect(data.cardTestingAlerts.items).toEqual([
        { platformAccountId: account.id, bin: '46012345', last4: '7890', refusals: 1 },
      ]);
  });

  test('is not listed for a key', async () => {
    const { errors } = await account.api.graphql('{ cardTestingAlerts(mode: test) { total } }');
    expect(errors[0].extensions.code).toMatch(/NOT_AUTHORIZED|FORBIDDEN/);
  });
});
