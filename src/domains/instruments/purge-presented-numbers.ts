import { removeUnlocked } from '../../database/remove-unlocked.ts';
import { sql } from '../../database/sql.ts';
import type { Services } from '../../services.ts';

const dayMs = 86_400_000;
/** A day more than the guard asks about, for processes whose clocks differ. */
const keptDays = 2;
const alarmsKeptDays = 90;

/** Deletes the counts of past days, and alarms that nobody needs any more. */
export async function purgePresentedNumbers(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  stopping?: AbortSignal,
): Promise<number> {
  const daysAgo = (days: number): string =>
    new Date(clock.realPassed().getTime() - days * dayMs).toISOString().slice(0, 10);
  const olderThan = (days: number) => ({ by: sql`day`, where: sql`day <= ${daysAgo(days)}::date` });
  const counts = { table: sql`limits.presented_numbers`, ...olderThan(keptDays) };
  const alarms = { table: sql`enumeration_alarms`, ...olderThan(alarmsKeptDays) };
  let purged = 0;
  for (const old of [counts, alarms]) purged += await removeUnlocked(pool, old, stopping);
  return purged;
}
