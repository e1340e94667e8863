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
