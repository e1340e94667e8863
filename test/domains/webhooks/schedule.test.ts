import { expect, test } from 'vitest';
import { attemptTimeoutMs } from '../../../src/adapters/webhook-http/http-sender.ts';
import { leaseMs } from '../../../src/domains/webhooks/deliveries/rows.ts';
import { nextAttemptAt, retryStepsMs } from '../../../src/domains/webhooks/deliveries/schedule.ts';

const now = new Date('2026-03-01T12:00:00.000Z');

function waitMs(
  failures: number,
  { retryAfter = null, random = 0.5 }: { retryAfter?: string | null; random?: number } = {},
): number | null {
  const at = nextAttemptAt(failures, { now, real: now }, retryAfter, random);
  return at && at.getTime() - now.getTime();
}

test('the steps are 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, and none after the tenth failure', () => {
  const minutes = (count: number) => count * 60_000;
  expect(retryStepsMs).toEqual([
    5_000,
    minutes(5),
    minutes(30),
    minutes(120),
    minutes(300),
    minutes(600),
    minutes(840),
    minutes(1200),
    minutes(1440),
  ]);
  expect(retryStepsMs.map((_step, index) => waitMs(index + 1))).toEqual([...retryStepsMs]);
  expect(waitMs(10)).toBeNull();
});

test.each(
  retryStepsMs.map((step, index) => ({ step, failures: index + 1 })),
)('a step of $step ms varies by at most a fifth', ({ step, failures }) => {
  expect(waitMs(failures, { random: 0 })).toBe(step * 0.8);
  expect(waitMs(failures, { random: 1 })).toBe(step * 1.2);
});

test.each([
  ['60', 60_000],
  ['4', 5_000],
  ['5', 5_000],
  ['6', 6_000],
  ['86400', 86_400_000],
  ['86401', 86_400_000],
  ['999999999', 86_400_000],
  ['Sun, 01 Mar 2026 12:10:00 GMT', 600_000],
  ['Sun, 01 Mar 2026 11:00:00 GMT', 5_000],
  ['Sun, 01 Mar 2027 12:00:00 GMT', 86_400_000],
  ['-1', 5_000],
  ['soon', 5_000],
  ['', 5_000],
])('Retry-After %j makes the first step %i ms', (retryAfter, expected) => {
  expect(waitMs(1, { retryAfter })).toBe(expected);
});

test('Retry-After causes no attempt after the last', () => {
  expect(waitMs(10, { retryAfter: '60' })).toBeNull();
});

test('an attempt has 10 s, and after a crash its delivery waits for a lease of at most 30 s', () => {
  expect(attemptTimeoutMs).toBe(10_000);
  expect(leaseMs).toBeLessThanOrEqual(30_000);
  expect(leaseMs).toBeGreaterThan(attemptTimeoutMs);
});
