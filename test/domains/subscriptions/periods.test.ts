import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  chargeWithBalance,
  periodBoundaryAt,
  proratedDifference,
  unpaidDifference,
  unusedCredit,
  unusedShare,
} from '../../../src/domains/subscriptions/periods/periods.ts';
import {
  dueTimeOf,
  noticeTimeOf,
  retryAfter,
  subscriptionStatuses,
  subscriptionTransitions,
} from '../../../src/domains/subscriptions/subscription/lifecycle.ts';

const at = (text: string) => new Date(text);
const ends = (anchor: string, interval: 'day' | 'week' | 'month' | 'year', intervalCount: number, cycles: number[]) =>
  cycles.map((cycle) => periodBoundaryAt(at(anchor), { interval, intervalCount }, cycle).toISOString().slice(0, 10));

describe('where periods end', () => {
  test('a month end stays on its day: 31 January, the last of February, 31 March', () => {
    expect(ends('2026-01-31T23:59:59.999Z', 'month', 1, [0, 1, 2, 3, 12, 13])).toEqual([
      '2026-01-31',
      '2026-02-28',
      '2026-03-31',
      '2026-04-30',
      '2027-01-31',
      '2027-02-28',
    ]);
    expect(ends('2027-12-31T00:00:00Z', 'month', 1, [2])).toEqual(['2028-02-29']);
    expect(ends('2026-08-31T12:00:00Z', 'month', 3, [1, 2, 3, 4])).toEqual([
      '2026-11-30',
      '2027-02-28',
      '2027-05-31',
      '2027-08-31',
    ]);
  });

  test('29 February returns each leap year', () => {
    expect(ends('2024-02-29T08:00:00Z', 'year', 1, [1, 2, 3, 4])).toEqual([
      '2025-02-28',
      '2026-02-28',
      '2027-02-28',
      '2028-02-29',
    ]);
  });

  test('a day has 24 hours, also at a change of daylight saving time', () => {
    expect(periodBoundaryAt(at('2026-03-28T01:30:00Z'), { interval: 'day', intervalCount: 1 }, 1).toISOString()).toBe(
      '2026-03-29T01:30:00.000Z',
    );
    expect(periodBoundaryAt(at('2026-10-18T01:30:00Z'), { interval: 'week', intervalCount: 2 }, 1).toISOString()).toBe(
      '2026-11-01T01:30:00.000Z',
    );
  });

  test("periods follow without a gap, on the anchor's day or the last of the month, at its time of day", () => {
    const anchors = fc.date({
      min: at('2000-01-01T00:00:00Z'),
      max: at('2099-12-31T23:59:59Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(
        anchors,
        fc.constantFrom('day' as const, 'week' as const, 'month' as const, 'year' as const),
        fc.integer({ min: 1, max: 36 }),
        fc.integer({ min: 0, max: 200 }),
        (anchor, interval, intervalCount, cycle) => {
          const billingInterval = { interval, intervalCount };
          const end = periodBoundaryAt(anchor, billingInterval, cycle);
          expect(periodBoundaryAt(anchor, billingInterval, cycle + 1).getTime()).toBeGreaterThan(end.getTime());
          expect(end.toISOString().slice(11)).toBe(anchor.toISOString().slice(11));
          if (interval === 'day' || interval === 'week')
            expect(end.getTime() - anchor.getTime()).toBe(
              cycle * intervalCount * (interval === 'week' ? 7 : 1) * 86_400_000,
            );
          else {
            const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
            expect(end.getUTCDate()).toBe(Math.min(anchor.getUTCDate(), lastDay));
            expect(
              (end.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + end.getUTCMonth() - anchor.getUTCMonth(),
            ).toBe(cycle * intervalCount * (interval === 'year' ? 12 : 1));
          }
        },
      ),
    );
  });
});

describe('proration', () => {
  const span = {
    startsAt: at('2026-01-01T00:00:00Z'),
    endsAt: at('2026-01-31T00:00:00Z'),
    planAmount: 1000,
    returned: 0,
  };

  test('half way: half of the difference; at the start: all of it; at the end: nothing', () => {
    expect(proratedDifference([span], 3000, at('2026-01-16T00:00:00Z'))).toBe(1000);
    expect(proratedDifference([span], 3000, span.startsAt)).toBe(2000);
    expect(proratedDifference([span], 3000, span.endsAt)).toBe(0);
    expect(proratedDifference([span], 400, at('2026-01-16T00:00:00Z'))).toBe(-300);
  });

  test('rounds half up to the minor unit: a third of 100 is 33, two thirds 67, half of 1 is 1', () => {
    expect([
      unusedShare(100, span, at('2026-01-21T00:00:00Z')),
      unusedShare(100, span, at('2026-01-11T00:00:00Z')),
      unusedShare(1, span, at('2026-01-16T00:00:00Z')),
    ]).toEqual([33, 67, 1]);
  });

  test('the price of an unpaid span is rounded once: a twentieth of 1008 and nineteen of 4032 are 3881', () => {
    const unpaid = { ...span, endsAt: at('2026-01-11T00:00:00Z'), planAmount: 1008 };
    expect(1008 + unpaidDifference(unpaid, 4032, at('2026-01-01T12:00:00Z'))).toBe(3881);
    expect(unpaidDifference(unpaid, 4032, unpaid.startsAt)).toBe(4032 - 1008);
    expect(unpaidDifference(unpaid, 4032, unpaid.endsAt)).toBe(0);
    expect(unpaidDifference(unpaid, 1008, at('2026-01-01T12:00:00Z'))).toBe(0);
  });

  const moments = fc.integer({ min: span.startsAt.getTime(), max: span.endsAt.getTime() }).map((ms) => new Date(ms));
  const amounts = fc.integer({ min: 1, max: 99_999_999_999 });

  test('never credits more than was paid, and less as time passes', () => {
    fc.assert(
      fc.property(amounts, moments, moments, (amount, one, other) => {
        const [earlier, later] = one < other ? [one, other] : [other, one];
        const credits = [earlier, later].map((moment) => unusedCredit([{ ...span, planAmount: amount }], moment));
        expect(credits[0]).toBeLessThanOrEqual(amount);
        expect(credits[1]).toBeLessThanOrEqual(credits[0] ?? 0);
        expect(credits[1]).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test('what was given back is taken from the credit, and no more than the credit', () => {
    fc.assert(
      fc.property(amounts, amounts, moments, (amount, returned, moment) => {
        const whole = unusedCredit([{ ...span, planAmount: amount }], moment);
        const left = unusedCredit([{ ...span, planAmount: amount, returned }], moment);
        expect(left).toBe(Math.max(0, whole - returned));
      }),
    );
  });

  test('changes to another price and back at one time sum to zero, for any number of prices', () => {
    fc.assert(
      fc.property(fc.array(amounts, { minLength: 1, maxLength: 6 }), moments, (through, moment) => {
        let current = span.planAmount;
        let sum = 0;
        for (const amount of [...through, span.planAmount]) {
          sum += proratedDifference([{ ...span, planAmount: current }], amount, moment);
          current = amount;
        }
        expect(sum).toBe(0);
      }),
    );
  });

  test('charged and carried amounts sum to what is owed, and no charge is negative or too large', () => {
    fc.assert(
      fc.property(amounts, fc.integer({ min: -2e11, max: 2e11 }), (plan, balance) => {
        const charged = chargeWithBalance(plan, balance, 99_999_999_999);
        expect(charged.amount + charged.balance).toBe(plan + balance);
        expect(charged.amount).toBeGreaterThanOrEqual(0);
        expect(charged.amount).toBeLessThanOrEqual(99_999_999_999);
      }),
    );
  });
});

describe('the transitions of a subscription', () => {
  test('canceled is final, and every other status can be reached and left', () => {
    expect(subscriptionTransitions.canceled).toEqual({});
    const reached = new Set(Object.values(subscriptionTransitions).flatMap((row) => Object.values(row)));
    for (const status of subscriptionStatuses.filter((name) => name !== 'incomplete' && name !== 'trialing'))
      expect(reached).toContain(status);
    for (const status of subscriptionStatuses.filter((name) => name !== 'canceled'))
      expect(subscriptionTransitions[status].canceled).toBe('canceled');
  });

  test('a failed charge is retried 1, 3, 5 and 7 days after the first failure, one with a lost card or a wrong code never', () => {
    const first = at('2026-03-01T10:00:00Z');
    const tries = [first];
    for (let next: Date | null = first; next; next = retryAfter('card_declined', first, next))
      if (next > first) tries.push(next);
    expect(tries.map((time) => (time.getTime() - first.getTime()) / 86_400_000)).toEqual([0, 1, 3, 5, 7]);
    expect(retryAfter(null, first, at('2026-03-02T09:00:00Z'))).toEqual(at('2026-03-02T10:00:00Z'));
    for (const final of ['lost_card', 'incorrect_cvc']) expect(retryAfter(final, first, first)).toBeNull();
    for (const code of ['expired_card', 'authentication_failed', 'insufficient_funds', 'blocked_by_rule', null]) {
      expect(retryAfter(code, first, first)).toEqual(at('2026-03-02T10:00:00Z'));
      expect(retryAfter(code, first, at('2026-03-08T09:59:59.999Z'))).toEqual(at('2026-03-08T10:00:00Z'));
      expect(retryAfter(code, first, at('2026-03-08T10:00:00Z'))).toBeNull();
    }
  });

  const timed = {
    status: 'active',
    createdAt: at('2026-01-01T00:00:00Z'),
    currentPeriodStart: at('2026-01-01T00:00:00Z'),
    currentPeriodEnd: at('2026-02-01T00:00:00Z'),
    cancelAtPeriodEnd: false,
    resumeAt: null,
    nextRetryAt: null,
    noticedFor: null,
  };

  test('a charge is announced three days before, once, and not in a period of three days or less', () => {
    expect(noticeTimeOf(timed)).toEqual(at('2026-01-29T00:00:00Z'));
    expect(noticeTimeOf({ ...timed, noticedFor: timed.currentPeriodEnd })).toBeNull();
    expect(noticeTimeOf({ ...timed, cancelAtPeriodEnd: true })).toBeNull();
    expect(noticeTimeOf({ ...timed, currentPeriodEnd: at('2026-01-04T00:00:00Z') })).toBeNull();
    expect(noticeTimeOf({ ...timed, currentPeriodEnd: at('2026-01-04T00:00:00.001Z') })).toEqual(
      at('2026-01-01T00:00:00.001Z'),
    );
  });

  test('the next thing to do is the earliest', () => {
    expect(dueTimeOf(timed)).toEqual(at('2026-01-29T00:00:00Z'));
    expect(dueTimeOf({ ...timed, noticedFor: timed.currentPeriodEnd })).toEqual(timed.currentPeriodEnd);
    expect(dueTimeOf({ ...timed, status: 'incomplete' })).toEqual(at('2026-01-01T23:00:00Z'));
    expect(dueTimeOf({ ...timed, status: 'paused' })).toBeNull();
    expect(
      dueTimeOf({ ...timed, status: 'paused', resumeAt: at('2026-03-01T00:00:00Z'), cancelAtPeriodEnd: true }),
    ).toEqual(timed.currentPeriodEnd);
    expect(dueTimeOf({ ...timed, status: 'canceled', cancelAtPeriodEnd: true })).toBeNull();
  });
});
