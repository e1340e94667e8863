import { afterAll, describe, expect, test } from 'vitest';
import { sumDays, verifyFigures } from '../../../../src/domains/ledger/figures/sum-days.ts';
import { expireAuthorizations } from '../../../../src/domains/payments/resolution/expire.ts';
import { resolveUnknownPayments } from '../../../../src/domains/payments/resolution/resolve.ts';
import { manualClock } from '../../../../src/lib/clock.ts';
import { type SignedIn, signedIn } from '../../../iam/people.ts';
import { lockTable, untilWaiting } from '../../../support/lock-waits.ts';
import { usePlatform } from '../../../support/platform.ts';
import { type SeededAccount, seedPartner } from '../../../support/seed.ts';
import { type FaultKind, withLostAnswers } from '../../../support/unreliable-processor.ts';

const dayMs = 86_400_000;
const start = new Date('2026-05-01T10:00:00Z');
const clock = manualClock(start);

const who: Record<string, SignedIn> = {};
let fates: FaultKind[] = [];

const platform = await usePlatform({ clock });
withLostAnswers(platform, () => fates.shift() ?? 'answered');
const partner = await seedPartner(platform);
const account = await openAccount();
who['hub'] = await signedIn(platform, { platformRoles: ['hubadmin'] });
who['partneradmin'] = await signedIn(platform, {
  platformRoles: ['partneradmin'],
  whitelabelOwnership: partner.slug,
});
const other = await seedPartner(platform);
await (await other.account()).charge('tok_visa', { amount: 77 });
who['elsewhere'] = await signedIn(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: other.slug });
afterAll(async () => {
  expect((await verifyFigures(platform.services)).differences).toEqual([]);
});

interface Requested {
  by?: string;
  from?: string;
  to?: string;
  mode?: string;
  partnerSlug?: string;
  platformAccountId?: string;
}
const isoDay = (time: Date) => time.toISOString().slice(0, 10);

/** The figures, or `code reason` of the error. */
async function figures(requested: Requested = {}, name = 'hub'): Promise<any> {
  const { data, errors } = await (who[name] as SignedIn).graphql(
    `query ($by: FigureKey!, $from: Date!, $to: Date!, $mode: Mode!, $partnerSlug: Slug, $platformAccountId: ID) {
      figures(by: $by, from: $from, to: $to, mode: $mode, partnerSlug: $partnerSlug, platformAccountId: $platformAccountId) {
        key currency payments approved refused approvalRate volume refunds refundedVolume disputes disputedVolume
        capturedVolume authorizedVolume netVolume
      }
    }`,
    { by: 'day', from: '2026-01-01', to: '2026-12-31', mode: 'test', ...requested },
  );
  if (!errors) return data.figures;
  const { code, data: details } = errors[0].extensions;
  return [code, details?.reason ?? details?.issues?.[0]?.path].filter(Boolean).join(' ');
}
const ofAccount = (own: SeededAccount, requested: Requested = {}) =>
  figures({ platformAccountId: own.id, ...requested });
/** An account whose store takes two currencies. */
async function openAccount(): Promise<SeededAccount> {
  const own = await partner.account();
  const chargeCurrencies = ['USD', 'EUR'];
  await platform.services.prisma.store.update({ where: { id: own.storeId }, data: { chargeCurrencies } });
  return own;
}
const sum = () => sumDays(platform.services);
const refund = (own: SeededAccount, paymentId: unknown, amount?: number) =>
  own.api.ok('/payments/refund', { paymentId, ...(amount !== undefined && { amount }) });
const figure = (key: string, currency: string, more: object) => ({
  key,
  currency,
  payments: 0,
  approved: 0,
  refused: 0,
  approvalRate: null,
  volume: '0',
  refunds: 0,
  refundedVolume: '0',
  disputes: 0,
  disputedVolume: '0',
  capturedVolume: '0',
  authorizedVolume: '0',
  netVolume: '0',
  ...more,
});

describe('what is counted', () => {
  test('each on its own day, the same before and after the day is summed', async () => {
    const bought = await account.charge('tok_visa', { amount: 1000 });
    await account.charge('tok_visa', { amount: 500, mode: 'auth' });
    const held = await account.charge('tok_visa', { amount: 300, mode: 'auth' });
    await account.api.ok('/payments/void', { paymentId: held.payment['id'] });
    await account.charge('tok_visa_insufficient');
    await account.charge('tok_visa_3ds', { amount: 9 }); // waits for the cardholder
    clock.advance(dayMs);
    await refund(account, bought.payment['id'], 400);
    await account.charge('tok_visa', { amount: 250, currency: 'EUR' });
    await account.api.ok('/test-disputes/create', { paymentId: bought.payment['id'], amount: 600 });

    const expected = [
      figure('2026-05-02', 'EUR', {
        payments: 1,
        approved: 1,
        approvalRate: 1,
        volume: '250',
        capturedVolume: '250',
        netVolume: '250',
      }),
      figure('2026-05-02', 'USD', {
        refunds: 1,
        refundedVolume: '400',
        disputes: 1,
        disputedVolume: '600',
        netVolume: '-1000',
      }),
      figure('2026-05-01', 'USD', {
        payments: 5,
        approved: 3,
        refused: 1,
        approvalRate: 0.75,
        volume: '1800',
        capturedVolume: '1000',
        authorizedVolume: '500',
        netVolume: '1000',
      }),
    ];
    expect(await ofAccount(account)).toEqual(expected);
    expect(await sum()).toBe(1);
    expect(await ofAccount(account)).toEqual(expected);
    clock.advance(dayMs);
    expect(await sum()).toBe(1);
    expect(await ofAccount(account)).toEqual(expected);
    expect(await sum()).toBe(0);
    expect((await verifyFigures(platform.services)).kept).toBeGreaterThan(0);
  });

  const volumesOf = async (own: SeededAccount) =>
    (await ofAccount(own, { by: 'currency' })).map((row: any) =>
      [row.volume, row.capturedVolume, row.authorizedVolume, row.netVolume].join(' '),
    );

  test('of an authorization: authorized until it is captured, voided or expired, and of a capture only what it took', async () => {
    const own = await partner.account();
    const [, captured, voided] = await Promise.all(
      [100, 70, 50].map(async (amount) => (await own.charge('tok_visa', { amount, mode: 'auth' })).payment['id']),
    );
    expect(await volumesOf(own)).toEqual(['220 0 220 0']);
    clock.advance(2 * dayMs);
    await sum();
    expect(await volumesOf(own)).toEqual(['220 0 220 0']);
    await own.api.ok('/payments/capture', { paymentId: captured, amount: 60 });
    await own.api.ok('/payments/void', { paymentId: voided });
    expect(await volumesOf(own)).toEqual(['220 60 100 60']);
    await sum();
    expect(await volumesOf(own)).toEqual(['220 60 100 60']);
    clock.advance(30 * dayMs);
    await expireAuthorizations(platform.services);
    expect(await volumesOf(own)).toEqual(['220 60 0 60']);
    await refund(own, captured, 60);
    await sum();
    expect(await volumesOf(own)).toEqual(['220 60 0 0']);
  });

  test('a day that the version before summed is counted from its payments at once, and summed again', async () => {
    const own = await partner.account();
    await own.charge('tok_visa', { amount: 90 });
    clock.advance(2 * dayMs);
    await sum();
    const { pool } = platform.services;
    const incomplete = async () =>
      (await pool.query('SELECT count(*)::int AS n FROM counters.daily_figures WHERE "capturedVolume" IS NULL')).rows[0]
        .n;
    // Its job deletes and inserts through the view.
    await pool.query(
      `WITH removed AS (DELETE FROM counters.figures RETURNING *) INSERT INTO counters.figures SELECT * FROM removed`,
    );
    expect(await incomplete()).toBeGreaterThan(1);
    expect(await volumesOf(own)).toEqual(['90 90 0 90']);
    expect((await verifyFigures(platform.services)).kept).toBe(0);
    await sum();
    expect(await incomplete()).toBe(0);
    expect(await volumesOf(own)).toEqual(['90 90 0 90']);
    expect(await verifyFigures(platform.services)).toMatchObject({ kept: expect.any(Number), differences: [] });
  });

  test('verify metrics finds a stored captured or authorized volume that differs from the payments', async () => {
    const own = await partner.account();
    await own.charge('tok_visa', { amount: 90 });
    const day = isoDay(clock.now());
    clock.advance(2 * dayMs);
    await sum();
    for (const column of ['capturedVolume', 'authorizedVolume']) {
      const add = (n: number) =>
        platform.services.pool.query(
          `UPDATE counters.daily_figures SET "${column}" = "${column}" + ${n} WHERE "platformAccountId" = '${own.id}'`,
        );
      await add(1);
      expect((await verifyFigures(platform.services)).differences).toEqual([{ platformAccountId: own.id, day }]);
      await add(-1);
      expect((await verifyFigures(platform.services)).differences).toEqual([]);
    }
  });

  test('by type of processor: one row for the processors of all accounts, null for payments that reached none', async () => {
    const brief = async (requested: Requested) =>
      (await figures({ by: 'processorType', ...requested })).map((row: any) => [row.key, row.currency, row.payments]);
    const fresh = await seedPartner(platform);
    const [first, second] = [await fresh.account(), await fresh.account()];
    await first.charge();
    await second.charge();
    await second.api.ok('/block-rules', { name: 'stolen', operator: 'OR', pan: '4242424242424242' });
    await second.charge().catch(() => {});
    const expected = [
      ['test', 'USD', 2],
      [null, 'USD', 1],
    ];
    expect(await brief({ partnerSlug: fresh.slug })).toEqual(expected);
    clock.advance(2 * dayMs);
    await sum();
    expect(await brief({ partnerSlug: fresh.slug })).toEqual(expected);
  });

  test('by processor, currency and decline code', async () => {
    const own = await openAccount();
    await own.charge('tok_visa', { amount: 100 });
    await own.charge('tok_visa', { amount: 100, currency: 'EUR' });
    await own.charge('tok_visa_insufficient');
    await own.charge('tok_visa_insufficient');
    await own.charge('tok_visa_declined');
    const { payment } = await own.charge('tok_visa', { amount: 50 });
    const brief = async (by: string) =>
      (await ofAccount(own, { by })).map((row: any) => [row.key, row.currency, row.payments, row.volume]);
    expect(await brief('currency')).toEqual([
      ['USD', 'USD', 5, '150'],
      ['EUR', 'EUR', 1, '100'],
    ]);
    expect(await brief('processor')).toEqual([
      [payment['processorId'], 'USD', 5, '150'],
      [payment['processorId'], 'EUR', 1, '100'],
    ]);
    expect(await brief('declineCode')).toEqual([
      ['insufficient_funds', 'USD', 2, '0'],
      ['card_declined', 'USD', 1, '0'],
    ]);
  });

  test('by several keys and of several spans and accounts in one operation, the same as one by one', async () => {
    const [own, neighbor] = [await openAccount(), await openAccount()];
    await own.charge('tok_visa_insufficient');
    await own.charge('tok_visa', { amount: 100, currency: 'EUR' });
    await neighbor.charge('tok_visa', { amount: 70 });
    clock.advance(dayMs);
    await own.charge('tok_visa', { amount: 30 });
    const today = isoDay(clock.now());
    const asked = [own.id, neighbor.id].flatMap((platformAccountId) =>
      ['2026-01-01', today].flatMap((from) =>
        ['day', 'processor', 'processorType', 'currency', 'declineCode'].map((by) => ({ platformAccountId, from, by })),
      ),
    );
    const fields = asked.map(
      ({ platformAccountId, from, by }, at) =>
        `f${at}: figures(mode: test, platformAccountId: "${platformAccountId}", from: "${from}", to: "2026-12-31", by: ${by}) {
          key currency payments approved refused approvalRate volume refunds refundedVolume disputes disputedVolume
          capturedVolume authorizedVolume netVolume
        }`,
    );
    const { data } = await (who['hub'] as SignedIn).graphql(`{ ${fields.join(' ')} }`);
    expect(Object.values(data)).toEqual(await Promise.all(asked.map((requested) => figures(requested))));
    expect(Object.values<any>(data).map((rows) => rows.length)).toEqual([
      3, 2, 2, 2, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0,
    ]);
  });

  test('a change of a day that is summed at once, and after the next sum: refunds, outcomes, expiries', async () => {
    const own = await partner.account();
    fates = ['answerLost'];
    await own.charge('tok_visa', { amount: 700 }).catch(() => {});
    const day = isoDay(clock.now());
    const brief = async () => (await ofAccount(own)).map(({ key, approved, volume }: any) => [key, approved, volume]);
    expect(await brief()).toEqual([[day, 0, '0']]);
    clock.advance(2 * dayMs);
    await sum();
    expect(await brief()).toEqual([[day, 0, '0']]);
    await resolveUnknownPayments(platform.services);
    expect(await brief()).toEqual([[day, 1, '700']]);
    await sum();
    expect(await brief()).toEqual([[day, 1, '700']]);
    expect((await verifyFigures(platform.services)).differences).toEqual([]);
  });

  test('rows of test clocks are left out', async () => {
    const own = await partner.account();
    const { id: testClockId } = await own.api.ok('/test-clocks/create', { name: 'x', now: clock.now().toISOString() });
    const { id: customerId } = await own.api.ok('/customers/create', { email: 'clock@example.com', testClockId });
    const { token } = await own.api.ok('/payment-instruments/tokenize', {
      cardNumber: '4242424242424242',
      expMonth: 12,
      expYear: 2030,
      cvc: '123',
    });
    const { paymentInstrument } = await own.api.ok('/payment-instruments/create-from-token', { token, customerId });
    const { payment } = await own.api.ok('/payments/process', {
      paymentInstrumentId: paymentInstrument.id,
      amount: 100,
      currency: 'USD',
    });
    await refund(own, payment.id);
    expect(await ofAccount(own)).toEqual([]);
    clock.advance(2 * dayMs);
    await sum();
    expect(await ofAccount(own)).toEqual([]);
  });
});

describe('who sees what', () => {
  test("modes are apart; a partner's people see their partner; 403 for the slug of another", async () => {
    expect(await figures({ mode: 'live' })).toEqual([]);
    const all = await figures({ by: 'currency' });
    const own = await figures({ by: 'currency', partnerSlug: partner.slug });
    expect(await figures({ by: 'currency' }, 'partneradmin')).toEqual(own);
    expect(own).not.toEqual(all);
    expect(await figures({ by: 'currency', platformAccountId: account.id }, 'elsewhere')).toEqual([]);
    expect(await figures({}, 'elsewhere')).toMatchObject([{ payments: 1, volume: '77' }]);
    expect(await figures({ partnerSlug: partner.slug }, 'elsewhere')).toBe('FORBIDDEN other_partner');
  });

  test('1 to 366 days, both included; 400 beyond', async () => {
    const day = '2026-05-01';
    expect((await ofAccount(account, { from: day, to: day })).map(({ key }: any) => key)).toEqual([day]);
    expect(await ofAccount(account, { from: '2026-05-03', to: '2026-05-03' })).toEqual([]);
    expect(await figures({ from: day, to: '2026-04-30' })).toBe('INPUT_PARSE_ERROR to');
    expect(await figures({ from: '2026-01-01', to: '2027-01-01' })).toBeInstanceOf(Array);
    expect(await figures({ from: '2026-01-01', to: '2027-01-02' })).toBe('INPUT_PARSE_ERROR to');
    for (const from of ['2026-02-30', '2026-05-01T00:00:00Z', 'yesterday'])
      expect(await figures({ from }), from).toBe('INPUT_PARSE_ERROR from');
  });
});

describe('sums', () => {
  const marks = 'SELECT count(*)::int AS n FROM counters.figures_changed';

  test('by several processes at once, while charges and refunds go on, are exact', async () => {
    const own = await partner.account();
    let volume = 0;
    for (let round = 0; round < 4; round++) {
      const work = Array.from({ length: 4 }, async () => {
        const { payment } = await own.charge('tok_visa', { amount: 100 });
        await refund(own, payment['id'], 30);
        volume += 100;
      });
      await Promise.all([...work, sum(), sum(), sum()]);
      clock.advance(dayMs);
    }
    await Promise.all([sum(), sum(), sum()]);
    expect((await verifyFigures(platform.services)).differences).toEqual([]);
    const [total] = await ofAccount(own, { by: 'currency' });
    expect(total).toMatchObject({ payments: 16, volume: String(volume), refunds: 16, refundedVolume: '480' });
  });

  test('need no mark of a row of the last half hour, and find it when its day is over', async () => {
    await sum();
    clock.set(new Date()); // that of the database
    const own = await partner.account();
    const { payment } = await own.charge('tok_visa', { amount: 40 });
    await refund(own, payment['id'], 10);
    expect((await platform.services.pool.query(marks)).rows).toEqual([{ n: 0 }]);
    expect(await sum()).toBe(0); // today is not over
    const today = isoDay(clock.now());
    expect(await ofAccount(own, { from: today, to: today })).toMatchObject([{ payments: 1, refundedVolume: '10' }]);
  });

  test('a sum that is cut off leaves its day to the next', async () => {
    clock.set(new Date(start.getTime() + 100 * dayMs));
    const own = await partner.account();
    await own.charge('tok_visa', { amount: 60 });
    const before = await ofAccount(own);
    clock.advance(2 * dayMs);
    const unlock = await lockTable(platform, 'counters.daily_figures', 'SHARE');
    const cutOff = expect(sum()).rejects.toThrow();
    await untilWaiting(platform);
    await platform.services.pool.query(
      `SELECT pg_terminate_backend(pid)
      FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    await cutOff;
    await unlock();
    expect(await ofAccount(own)).toEqual(before);
    await sum();
    expect((await platform.services.pool.query(marks)).rows).toEqual([{ n: 0 }]);
    expect(await ofAccount(own)).toEqual(before);
  });
});
