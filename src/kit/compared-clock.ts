import { type Clock, systemClock } from './clock.ts';

/** A server whose clock differs from the database's by more than this is not ready and runs no jobs. */
const clockToleranceMs = 2_000;

/** The own clock against time that only goes on: a difference above this is a jump, or the sleep of the machine. */
const jumpMs = 500;

/** The clock of this server against the database's. Its time is theirs, also where a test stops or moves the platform's. */
export interface ClockCheck extends Clock {
  /** How many milliseconds this server's clock is ahead of the database's; negative if it is behind. */
  aheadMs(): number;
  /** The sentence for a clock that is off, after it was read again; null while it is within two seconds. */
  fault(): Promise<string | null>;
}

/** The check of a clock that is not compared. */
export const agreed: ClockCheck = { ...systemClock, aheadMs: () => 0, fault: async () => null };

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

  passed(): Date {
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
