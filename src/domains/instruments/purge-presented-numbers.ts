import { inBatches } from '../../database/in-batches.ts';
import { constant, execute, sql } from '../../database/sql.ts';
import type { Services } from '../../services.ts';

const dayMs = 86_400_000;
/** A day more than the guard asks about, for processes whose clocks differ. */
const keptDays = 2;
const alarmsKeptDays = 90;
const batchMax = 10_000;

/** Deletes the counts of past days, and alarms that nobody needs any more. */
export async function purgePresentedNumbers(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  stopping?: AbortSignal,
): Promise<number> {
  const daysAgo = (days: number): string =>
    new Date(clock.realPassed().getTime() - days * dayMs).toISOString().slice(0, 10);
  const counts = sql`
    DELETE FROM limits.presented_numbers
    WHERE ctid = ANY(ARRAY(
      SELECT ctid
      FROM limits.presented_numbers
      WHERE day <= ${daysAgo(keptDays)}::date
      LIMIT ${constant(batchMax)}
    ))`;
  const alarms = sql`
    DELETE FROM enumeration_alarms
    WHERE ctid = ANY(ARRAY(
      SELECT ctid
      FROM enumeration_alarms
      WHERE day <= ${daysAgo(alarmsKeptDays)}::date
      LIMIT ${constant(batchMax)}
    ))`;
  let purged = 0;
  for (const purge of [counts, alarms]) purged += await inBatches(batchMax, () => execute(pool, purge), stopping);
  return purged;
}
