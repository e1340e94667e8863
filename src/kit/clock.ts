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
