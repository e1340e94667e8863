import { AsyncLocalStorage } from 'node:async_hooks';

/** The source of the current time, so that a test can stop or move it. */
export interface Clock {
  /** The time of what is recorded, and of what is promised from now on: on a server the database's time. */
  now(): Date;
  /**
   * The earlier of the server's time and the database's. What removes, expires, charges or limits uses it, so that no
   * single clock decides.
   */
  earliest(): Date;
}

/** A clock by which nothing else is judged. */
function clockOf(now: () => Date): Clock {
  return { now, earliest: now };
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
 * The clock of a running platform. Operations for a customer on a test clock run `on` it: `now` and `earliest` are then
 * the time of that clock for everything they call, and `testClockId` marks the rows that they write.
 */
export interface PlatformClock extends Clock {
  /** The real time on any test clock, for leases, signatures and the retention of answers. */
  real(): Date;
  /** `earliest` in real time, on any test clock. */
  earliestReal(): Date;
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
    earliest: () => testTime() ?? clock.earliest(),
    real: () => clock.now(),
    earliestReal: () => clock.earliest(),
    get testClockId() {
      return testClocks.getStore()?.id ?? null;
    },
    on: (testClock, run) => testClocks.run(testClock, run),
  };
}

/** A server whose clock differs from the database's by more than this is not ready and runs no jobs. */
const clockToleranceMs = 2_000;

/** The own clock against time that only goes on: a difference above this is a jump, or the sleep of the machine. */
const jumpMs = 500;

/** The clock of this server against the database's. Always real time, even if a test stops or moves the platform's. */
export interface ClockCheck extends Clock {
  /** How many milliseconds this server's clock is ahead of the database's; negative if it is behind. */
  aheadMs(): number;
  /** The sentence for a clock that is off, after it was read again; null while it is within two seconds. */
  fault(): Promise<string | null>;
}

/** The check of a clock that is not compared. */
export const uncheckedClock: ClockCheck = { ...systemClock, aheadMs: () => 0, fault: async () => null };

/** A reading of the database's clock between two of the own one, in milliseconds since 1970. */
export interface ClockReading {
  before: number;
  database: number;
  after: number;
}

/**
 * The time of a server by its own clock and the database's. A reading says between which bounds they differ: the known
 * difference changes only as far as it must to be between them, so that clocks that agree are one clock. Between two
 * readings the database's time goes on by itself, so that a jump of the own clock does not move it.
 */
export class ComparedClock implements Clock {
  readonly #own: () => number;
  readonly #elapsed: () => number;
  /** How far the database's clock was ahead of the own one when both were last read. */
  #databaseAheadMs = 0;
  #readAt: { own: number; elapsed: number };

  /** `own` is in milliseconds since 1970; `elapsed` in milliseconds since any moment, and never jumps. */
  constructor(own: () => number = Date.now, elapsed: () => number = () => performance.now()) {
    this.#own = own;
    this.#elapsed = elapsed;
    this.#readAt = { own: own(), elapsed: elapsed() };
  }

  now(): Date {
    const own = this.#own();
    return new Date(own + this.#differenceAt(own));
  }

  earliest(): Date {
    const own = this.#own();
    return new Date(own + Math.min(0, this.#differenceAt(own)));
  }

  /** How many milliseconds the own clock is ahead of the database's; negative if it is behind. */
  aheadMs(): number {
    return -this.#differenceAt(this.#own()) || 0;
  }

  read({ before, database, after }: ClockReading): void {
    const own = this.#own();
    // A clock that counts whole milliseconds shows `after` until the next one.
    const least = database - Math.max(before, after) - 1;
    const most = database - Math.min(before, after);
    this.#databaseAheadMs = Math.round(Math.min(most, Math.max(least, this.#differenceAt(own))));
    this.#readAt = { own, elapsed: this.#elapsed() };
  }

  #differenceAt(own: number): number {
    const jump = own - this.#readAt.own - (this.#elapsed() - this.#readAt.elapsed);
    return this.#databaseAheadMs - (Math.abs(jump) > jumpMs ? Math.round(jump) : 0);
  }
}

/** The sentence for a clock that is off; null while it is within two seconds of the database's. */
export function clockFault(aheadMs: number): string | null {
  if (Math.abs(aheadMs) <= clockToleranceMs) return null;
  const direction = aheadMs > 0 ? 'ahead of' : 'behind';
  return `The clock of this server is ${durationOf(Math.abs(aheadMs))} ${direction} the database's.`;
}

/** In the largest unit of which there are two at least. */
function durationOf(ms: number): string {
  const units = [
    ['days', 86_400_000],
    ['hours', 3_600_000],
    ['minutes', 60_000],
  ] as const;
  const [name, unitMs] = units.find(([, unit]) => ms >= 2 * unit) ?? ['seconds', 1_000];
  return `${(ms / unitMs).toFixed(1)} ${name}`;
}
