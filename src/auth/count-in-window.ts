import { isTooLate } from '../database/leases.ts';
import { constant, type Sql, sql } from '../database/sql.ts';
import type { Clock } from '../kit/clock.ts';

/** Counting stops here, so that the column cannot overflow. */
const callsMax = 1_000_000;

/** The start of the window of this length that the clock is in. */
export function windowStart(clock: Pick<Clock, 'passed'>, windowMs: number): Date {
  return new Date(Math.floor(clock.passed().getTime() / windowMs) * windowMs);
}

/** The whole seconds, at least 1, until that window has ended. */
export function windowLeftS(clock: Pick<Clock, 'passed'>, windowMs: number): number {
  return Math.max(1, Math.ceil((windowMs - (clock.passed().getTime() % windowMs)) / 1000));
}

/**
 * What a further call changes in the counter `c`, whose columns are `minute`, the start of its window, and `calls`. A
 * server whose clock is behind counts in the window that was begun: it must not begin an earlier one. A window that
 * lies ahead of the database's time was begun by a clock that was ahead, and ends now.
 */
export function countedOn(clock: Pick<Clock, 'now'>): Sql {
  const lost = isTooLate(sql`c.minute`, clock.now(), 0);
  return sql`
    calls = CASE
      WHEN excluded.minute > c.minute OR ${lost} THEN excluded.calls
      ELSE least(c.calls, ${constant(callsMax)}) + excluded.calls
    END,
    minute = CASE WHEN ${lost} THEN excluded.minute ELSE greatest(c.minute, excluded.minute) END`;
}
