import type { Env } from '../env.ts';

/**
 * Work that becomes due at a time, of rows that hang on a test clock. The ordinary sweep of the same work leaves such rows alone
 * (`"testClockId" IS NULL`); they are done when the clock is advanced past the moment, and at that moment.
 */
export interface ClockDriven {
  name: string;
  /** The earliest moment at which something open of this clock is due, past or to come; null when nothing is open. */
  nextDue(env: Env, testClockId: string): Promise<Date | null>;
  /**
   * Does what is due by then and tells how many things it did. It runs on the clock, so `env.clock.now()` is `at`. It may be
   * killed anywhere and run again: what it did before must not be done twice. 0 with something still due means that another is at it.
   */
  runDue(env: Env, testClockId: string, at: Date): Promise<number>;
}
