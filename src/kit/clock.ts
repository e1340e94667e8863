import { AsyncLocalStorage } from 'node:async_hooks';

/** Where every "now" of ours comes from, so that a test can hold or move time. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** A clock that stands still until it is moved; for tests and rehearsals. */
export function manualClock(start: Date): Clock & { advance(ms: number): void; set(to: Date): void } {
  let at = start.getTime();
  return {
    now: () => new Date(at),
    advance: (ms) => {
      at += ms;
    },
    set: (to) => {
      at = to.getTime();
    },
  };
}

export interface TravellingClock extends Clock {
  /** Runs something as if it were that moment, for it and for all it calls; others that run meanwhile keep their own. */
  at<Result>(moment: Date, run: () => Promise<Result>): Promise<Result>;
}

/** A clock by which several things can happen side by side, each at a moment of its own. Outside of `at` it tells the real time. */
export function travellingClock(): TravellingClock {
  const moments = new AsyncLocalStorage<Date>();
  return { now: () => new Date(moments.getStore() ?? Date.now()), at: (moment, run) => moments.run(moment, run) };
}

/** A test clock as far as it tells the time. */
export interface TestClockTime {
  id: string;
  now: Date;
}

/**
 * The clock of a running platform. What is done for a customer on a test clock is done `on` it: then `now` is that clock's time,
 * for it and for all it calls, and `testClockId` says whose, so that the rows it writes can be told from those of real time.
 */
export interface PlatformClock extends Clock {
  /** What time it is whatever test clock this runs on: for what happens in the world, such as leases, signatures, and how long answers are kept. */
  real(): Date;
  /** The test clock this runs on, or null. */
  readonly testClockId: string | null;
  on<Result>(testClock: TestClockTime, run: () => Promise<Result>): Promise<Result>;
}

export function platformClock(clock: Clock): PlatformClock {
  const testClocks = new AsyncLocalStorage<TestClockTime>();
  return {
    now: () => new Date(testClocks.getStore()?.now ?? clock.now()),
    real: () => clock.now(),
    get testClockId() {
      return testClocks.getStore()?.id ?? null;
    },
    on: (testClock, run) => testClocks.run(testClock, run),
  };
}
