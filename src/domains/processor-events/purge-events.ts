import { removeUnlocked } from '../../database/remove-unlocked.ts';
import { sql } from '../../database/sql.ts';
import type { Services } from '../../services.ts';

/** Longer than any processor sends an event again. */
const retentionMs = 60 * 24 * 60 * 60_000;

/** Purges the ids of events that no processor sends any more, and events that were not applied. */
export async function purgeProcessorEvents(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  stopping?: AbortSignal,
): Promise<number> {
  const before = new Date(clock.passed().getTime() - retentionMs);
  const old = { by: sql`"receivedAt"`, where: sql`"receivedAt" < ${before}` };
  let count = 0;
  for (const table of [sql`processor_events`, sql`unapplied_events`])
    count += await removeUnlocked(pool, { table, ...old }, stopping);
  return count;
}
