import { type Sql, sql } from './sql.ts';

/** Above any difference of servers that run jobs, and any wait for a lock. */
const slackMs = 60_000;

/**
 * The condition that the lease in a column is over at the moment `now` of the database's time. One that ends later than
 * a lease of its length can was written by a clock that was ahead, and is over, too: it would hold its row for hours.
 */
export function leaseOver(until: Sql, now: Date, leaseMs: number): Sql {
  return sql`(${until} IS NULL OR ${until} <= ${now} OR ${isTooLate(until, now, leaseMs)})`;
}

/** The condition that a time is further ahead than `mostMs`, so that a clock that was ahead has written it. */
export function isTooLate(time: Sql, now: Date, mostMs: number): Sql {
  return sql`${time} > ${new Date(now.getTime() + mostMs + slackMs)}`;
}
