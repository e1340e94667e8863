import type pg from 'pg';
import { isUnavailable, withTimeLimit } from '../database/in-time.ts';
import { lastBackupAt } from '../database/last-backup.ts';
import type { PlatformClock } from '../lib/clock.ts';
import type { MeasuredDatabase } from '../observability/metrics.ts';
import { readDueRows } from '../operators/jobs/due-rows.ts';
import type { Config } from '../settings/config.ts';

/** The readings of the metrics in the database, each of one statement that is given up after a second. */
export function measuredDatabase(
  pool: pg.Pool,
  clock: Pick<PlatformClock, 'earliestReal'>,
  { sandbox }: Pick<Config, 'sandbox'>,
): MeasuredDatabase {
  const secondsSince = (at: Date, now: Date): number => Math.max(0, (now.getTime() - at.getTime()) / 1_000);
  return {
    pool,
    isUnavailable: () => isUnavailable(pool),
    async backupAgeS() {
      const at = await withTimeLimit(lastBackupAt(pool));
      return at && secondsSince(at, clock.earliestReal());
    },
    async jobDelaysS() {
      const now = clock.earliestReal();
      // The jobs of a sandbox leave the rows of live mode alone.
      const due = await withTimeLimit(readDueRows(pool, now, sandbox ? 'test' : null));
      return new Map(due.map(({ job, oldestDueAt }) => [job, oldestDueAt ? secondsSince(oldestDueAt, now) : 0]));
    },
  };
}
