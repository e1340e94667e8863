import { inBatches } from '../../database/in-batches.ts';
import { constant, execute, type Queryable, type Sql, sql } from '../../database/sql.ts';
import type { Services } from '../../services.ts';

/** Longer than any processor sends an event again. */
const retentionMs = 60 * 24 * 60 * 60_000;

/** Purges the ids of events that no processor sends any more, and events that were not applied. */
export async function purgeProcessorEvents(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  stopping?: AbortSignal,
): Promise<number> {
  const before = new Date(clock.passed().getTime() - retentionMs);
  const tables = [sql`processor_events`, sql`unapplied_events`];
  let count = 0;
  for (const table of tables) count += await inBatches(batchMax, () => purgeSome(pool, table, before), stopping);
  return count;
}

const batchMax = 10_000;

function purgeSome(pool: Queryable, table: Sql, before: Date): Promise<number> {
  return execute(
    pool,
    sql`
      DELETE FROM ${table}
      WHERE ctid = ANY(ARRAY(
        SELECT ctid
        FROM ${table}
        WHERE "receivedAt" < ${before}
        ORDER BY "receivedAt"
        LIMIT ${constant(batchMax)}
      ))`,
  );
}
