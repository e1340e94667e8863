import { AsyncLocalStorage } from 'node:async_hooks';

/** The source of the current time, so that a test can stop or move it. */
export interface Clock {
  /** The time of what is recorded, and of what is promised from now on: on a server the database's time. */
  now(): Date;
  /**
   * The latest moment that has passed by every clock: on a server the earlier of its own time and the database's. What
   * removes, expires, charges or limits asks for it, so that no single clock decides.
   */
  passed(): Date;
}

/** A clock by which nothing else is judged. */
function clockOf(now: () => Date): Clock {
  return { now, passed: now };
}

/** The clock of this machine alone, for what has no database. */
export const systemClock: Clock = clockOf(() => new Date());

/** A clock that stands still until it is moved, for tests. */
export function manualClock(start: Date): Clock & { advance(ms: number): void; set(to: Date): void } {
  let at = start.getTime();
  return {
    ...clockOf(() => new Date(at)),
    advance: (ms) => {
      at += ms;
    },
    set: (to) => {
      at = to.getTime();
    },
  };
}

export interface TravelingClock extends Clock {
  /** Runs a function at a given time, which applies to everything it calls and to nothing that runs beside it. */
  at<Result>(moment: Date, run: () => Promise<Result>): Promise<Result>;
}

/** A clock by which several functions run side by side, each at its own time. Outside of `at` it is the real time. */
export function travelingClock(): TravelingClock {
  const moments = new AsyncLocalStorage<Date>();
  return {
    ...clockOf(() => new Date(moments.getStore() ?? Date.now())),
    at: (moment, run) => moments.run(moment, run),
  };
}

/** The time of a test clock. */
export interface TestClockTime {
  id: string;
  now: Date;
}

/**
 * The clock of a running platform. Operations for a customer on a test clock run `on` it: `now` and `passed` are then
 * the time of that clock for everything they call, and `testClockId` marks the rows that they write.
 */
export interface PlatformClock extends Clock {
  /** The real time on any test clock, for leases, signatures and the retention of answers. */
  real(): Date;
  /** `passed` in real time, on any test clock. */
  realPassed(): Date;
  /** The test clock this runs on, or null. */
  readonly testClockId: string | null;
  on<Result>(testClock: TestClockTime, run: () => Promise<Result>): Promise<Result>;
}

export function platformClock(clock: Clock): PlatformClock {
  const testClocks = new AsyncLocalStorage<TestClockTime>();
  const testTime = (): Date | null => {
    const testClock = testClocks.getStore();
    return testClock ? new Date(testClock.now) : null;
  };
  return {
    now: () => testTime() ?? clock.now(),
    passed: () => testTime() ?? clock.passed(),
    real: () => clock.now(),
    realPassed: () => clock.passed(),
    get testClockId() {
      return testClocks.getStore()?.id ?? null;
    },
    on: (testClock, run) => testClocks.run(testClock, run),
  };
}
