import { constant, execute, queryRow, type Sql, sql } from '../database/sql.ts';
import { isTooLate } from '../jobs/leases.ts';
import type { Services } from '../services.ts';

interface CallsInWindow {
  /** The time that applies to this call. */
  at: Date;
  /** The times of the calls that were counted in the window before it, at most `max`, oldest first. */
  before: Date[];
}

/**
 * Counts a call of a subject, over all processes, unless `max` calls were counted in the window before it. A server whose
 * clock is behind goes by the time of the last call. A time ahead of the database's was written by a clock that was
 * ahead, and counts as now.
 */
export async function countInWindow(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  subject: string,
  max: number,
  windowMs: number,
): Promise<CallsInWindow> {
  const now = sql`${clock.earliest()}::timestamptz`;
  const written = (at: Sql) => sql`CASE WHEN ${isTooLate(at, clock.now(), 0)} THEN ${now} ELSE ${at} END`;
  const counting = sql`
    UPDATE limits.field_calls c
    SET calls = CASE WHEN cardinality(w.before) < ${constant(max)} THEN w.before || w.at ELSE w.before END
    FROM (SELECT subject, calls FROM limits.field_calls WHERE subject = ${subject} FOR NO KEY UPDATE) locked,
      LATERAL (
        SELECT array_agg(${written(sql`at`)} ORDER BY at) AS calls, greatest(${now}, max(${written(sql`at`)})) AS at
        FROM unnest(locked.calls) at
      ) known,
      LATERAL (
        SELECT known.at, ARRAY(
          SELECT call FROM unnest(known.calls) call
          WHERE call > known.at - ${constant(windowMs)} * interval '1 millisecond'
        ) AS before
      ) w
    WHERE c.subject = locked.subject
    RETURNING w.at, w.before`;
  for (;;) {
    const row = await queryRow<CallsInWindow>(pool, counting);
    if (row) return row;
    await execute(
      pool,
      sql`INSERT INTO limits.field_calls (subject, calls) VALUES (${subject}, '{}') ON CONFLICT (subject) DO NOTHING`,
    );
  }
}
