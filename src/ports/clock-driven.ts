import type { Services } from '../services.ts';

/**
 * A job for rows that belong to a test clock. The ordinary job skips such rows (`"testClockId" IS NULL`); they are
 * processed when the clock is advanced past the time at which they are due, and at that time.
 */
export interface ClockDriven {
  name: string;
  /** The earliest time at which a row of this clock is due, in the past or the future. Null if there is none. */
  nextDue(services: Services, testClockId: string): Promise<Date | null>;
  /**
   * Processes the rows that are due by then and returns their number. It runs on the test clock: `services.clock.now()`
   * is `at`. It may be interrupted anywhere and run again, and must not process a row twice. 0 while rows are still due
   * means that another process has leased them.
   */
  runDue(services: Services, testClockId: string, at: Date): Promise<number>;
}
