import { isTooLate } from '../database/leases.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { Clock } from '../kit/clock.ts';

/**
 * The time up to which the bucket with this time is refilled at `passed`, the clock's moment that has passed. It never
 * goes back, so that a server whose clock is behind refills nothing twice. A time ahead of the database's was written by
 * a clock that was ahead: it would leave the bucket empty until it has come.
 */
export function refilledAt(at: Sql, passed: Sql, clock: Pick<Clock, 'now'>): Sql {
  return sql`CASE WHEN ${isTooLate(at, clock.now(), 0)} THEN ${passed} ELSE greatest(${at}, ${passed}) END`;
}

/** The seconds since then, for which tokens are added. */
export function refillSeconds(at: Sql, passed: Sql): Sql {
  return sql`greatest(0, extract(epoch FROM ${passed} - ${at}))`;
}
