import { expect, test } from 'vitest';
import { ComparedClock, clockFault } from '../../../src/lib/clock.ts';

const hourMs = 3_600_000;
const start = Date.parse('2026-05-05T05:05:05.000Z');

/** A server whose clock is `aheadMs` ahead of the database's. Time passes for both alike. */
function worldOf(aheadMs: number) {
  let elapsed = 0;
  let ahead = aheadMs;
  let database = 0;
  const own = () => start + elapsed + ahead;
  const clock = new ComparedClock(own, () => elapsed);
  return {
    clock,
    pass: (ms: number) => void (elapsed += ms),
    setAhead: (ms: number) => void (ahead = ms),
    jumpDatabase: (ms: number) => void (database += ms),
    /** Reads the database's time, which takes a round trip. */
    read(tripMs = 2) {
      const before = own();
      elapsed += tripMs / 2;
      const reading = start + elapsed + database;
      elapsed += tripMs / 2;
      clock.read({ before, database: reading, after: own() });
    },
    databaseNow: () => start + elapsed + database,
    own,
  };
}

test.each([
  0,
  3_000,
  -3_000,
  2 * hourMs,
  -2 * hourMs,
  26 * hourMs,
  -26 * hourMs,
  192 * hourMs,
  -192 * hourMs,
])('a clock %i ms ahead: what is recorded has the time of the database, what ends has the earlier of the two', (aheadMs) => {
  const { clock, read, pass, databaseNow, own } = worldOf(aheadMs);
  read();
  pass(60_000);
  const differsBy = (time: Date, other: number) => Math.abs(time.getTime() - other);
  expect(differsBy(clock.now(), databaseNow())).toBeLessThanOrEqual(2);
  expect(differsBy(clock.earliest(), Math.min(own(), databaseNow()))).toBeLessThanOrEqual(2);
  expect(Math.abs(clock.aheadMs() - aheadMs)).toBeLessThanOrEqual(2);
  expect(clockFault(clock.aheadMs()) === null).toBe(aheadMs === 0);
});

test('clocks that agree within a round trip are one clock, to the millisecond', () => {
  const { clock, read, pass, own } = worldOf(0);
  for (const tripMs of [1, 40, 3, 900, 2]) {
    read(tripMs);
    pass(5_000);
    expect([clock.now().getTime(), clock.earliest().getTime(), clock.aheadMs()]).toEqual([own(), own(), 0]);
  }
});

test('a slow reading does not hide a known difference, and a fast one finds it', () => {
  const { clock, read } = worldOf(26 * hourMs);
  read(4_000);
  expect(clockFault(clock.aheadMs())).toMatch(/^The clock of this server is \d+\.\d hours ahead of the database's\.$/);
  read(2);
  expect(Math.abs(clock.aheadMs() - 26 * hourMs)).toBeLessThanOrEqual(2);
  read(10_000);
  expect(Math.abs(clock.aheadMs() - 26 * hourMs)).toBeLessThanOrEqual(2);
});

test.each([26 * hourMs, -2 * hourMs, 3_000])('a jump of %i ms between two readings moves no recorded time', (jump) => {
  const { clock, read, pass, setAhead, databaseNow } = worldOf(0);
  read();
  pass(1_000);
  setAhead(jump);
  expect(Math.abs(clock.now().getTime() - databaseNow())).toBeLessThanOrEqual(1);
  expect(clock.earliest().getTime()).toBeLessThanOrEqual(databaseNow());
  expect(clock.aheadMs()).toBe(jump);
  // Set right again, it is right at once.
  setAhead(0);
  expect(clock.aheadMs()).toBe(0);
});

test('a jump of the database, as after a failover, is found by the next reading and ends nothing before it', () => {
  const { clock, read, pass, jumpDatabase, own } = worldOf(0);
  read();
  jumpDatabase(26 * hourMs);
  pass(1_000);
  expect(clock.now().getTime()).toBe(own());
  read();
  expect(clock.earliest().getTime()).toBe(own());
  expect(clockFault(clock.aheadMs())).toBe("The clock of this server is 26.0 hours behind the database's.");
});

test('a jump within a reading changes nothing until the next one', () => {
  const { clock, setAhead, own } = worldOf(0);
  const before = own();
  setAhead(26 * hourMs);
  clock.read({ before, database: before + 1, after: own() });
  expect(Math.abs(clock.aheadMs() - 26 * hourMs)).toBeLessThanOrEqual(2);
});

test.each([
  [0, null],
  [2_000, null],
  [-2_000, null],
  [2_001, "The clock of this server is 2.0 seconds ahead of the database's."],
  [-2_001, "The clock of this server is 2.0 seconds behind the database's."],
  [-180_000, "The clock of this server is 3.0 minutes behind the database's."],
  [7_200_000, "The clock of this server is 2.0 hours ahead of the database's."],
  [691_200_000, "The clock of this server is 8.0 days ahead of the database's."],
])('%i ms: %s', (aheadMs, sentence) => expect(clockFault(aheadMs)).toBe(sentence));
