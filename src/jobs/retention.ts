import { empty, type Sql, sql } from '../database/sql.ts';
import type { Services } from '../services.ts';
import { removeUnlocked } from './leases.ts';

/** How long the rows of a table are kept. A domain declares it in its manifest, and one job purges the rows. */
export interface Keep {
  table: Sql;
  /** The column from whose time on a row is kept. It has an index. */
  by: Sql;
  /** If the column is a date, it counts from the end of that day. */
  forMs: number;
  /** A further condition, without which an old row is kept. */
  onlyIf?: Sql;
}

/** Purges the old rows of these tables and returns their number. A table that fails does not stop the others. */
export async function purgeOldRows(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  keeps: readonly Keep[],
  stopping: AbortSignal = new AbortController().signal,
): Promise<number> {
  let purged = 0;
  const errors: unknown[] = [];
  for (const { table, by, forMs, onlyIf } of keeps) {
    if (stopping.aborted) break;
    // As text, which PostgreSQL reads as a value of the column's type: a time, or the day in UTC.
    const before = new Date(clock.earliestReal().getTime() - forMs).toISOString();
    const where = sql`${by} < ${before}${onlyIf ? sql` AND ${onlyIf}` : empty}`;
    try {
      purged += await removeUnlocked(pool, { table, by, where }, stopping);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return purged;
}
