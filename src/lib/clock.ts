import { AsyncLocalStorage } from 'node:async_hooks';

/** The source of the current time, so that a test can stop or move it. */
export interface Clock {
  /** The time for what is recorded, and for future deadlines: on a server the database's time. */
  now(): Date;
  /**
   * The earlier of the server's time and the database's. What deletes, expires, charges or limits uses it, so that no
   * single clock decides.
   */
  earliest(): Date;
}

/** A clock that is compared with no other. */
function clockOf(now: () => Date): Clock {
  return { now, earliest: now };
}

/** The clock of this machine, for processes without a database. */
export const systemClock: Clock = clockOf(() => new Date());

/** A clock that stops until it is moved, for tests. */
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
  /** Runs a function at a given time, which applies to everything it calls and to nothing that runs concurrently. */
  at<Result>(moment: Date, run: () => Promise<Result>): Promise<Result>;
}

/** A clock for functions that run concurrently, each at its own time. Outside of `at` it is the real time. */
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

/**
 * The machine's clock is compared with a monotonic one: a difference above this is a jump, or a suspend of the machine.
 */
const jumpMs = 500;

/** The clock of this server, compared with the database's. Always real time, even if a test clock is set. */
export interface ClockCheck extends Clock {
  /** How many milliseconds this server's clock is ahead of the database's; negative if it is behind. */
  aheadMs(): number;
  /** The message for a clock that is off, after it was read again; null while it is within two seconds. */
  fault(): Promise<string | null>;
}

/** For a clock that is not compared. */
export const uncheckedClock: ClockCheck = { ...systemClock, aheadMs: () => 0, fault: async () => null };

/** A reading of the database's clock between two readings of this server's, in milliseconds since 1970. */
export interface ClockReading {
  before: number;
  database: number;
  after: number;
}

/**
 * The time of a server by its own clock and the database's. A reading gives bounds for their difference: the known
 * difference changes only as far as needed to be within them, so that clocks that agree stay equal. Between readings,
 * the database's time is extrapolated, so that a jump of the server's clock does not affect it.
 */
export class ComparedClock implements Clock {
  readonly #own: () => number;
  readonly #elapsed: () => number;
  /** How far the database's clock was ahead of the server's at the last reading. */
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

  /** How many milliseconds the server's clock is ahead of the database's; negative if it is behind. */
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

/** The message for a clock that is off; null while it is within two seconds of the database's. */
export function clockFault(aheadMs: number): string | null {
  if (Math.abs(aheadMs) <= clockToleranceMs) return null;
  const direction = aheadMs > 0 ? 'ahead of' : 'behind';
  return `The clock of this server is ${durationOf(Math.abs(aheadMs))} ${direction} the database's.`;
}

/** In the largest unit with a value of at least two. */
function durationOf(ms: number): string {
  const units = [
    ['days', 86_400_000],
    ['hours', 3_600_000],
    ['minutes', 60_000],
  ] as const;
  const [name, unitMs] = units.find(([, unit]) => ms >= 2 * unit) ?? ['seconds', 1_000];
  return `${(ms / unitMs).toFixed(1)} ${name}`;
}
