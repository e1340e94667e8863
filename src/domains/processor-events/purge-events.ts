import { execute, sql } from '../../database/sql.ts';
import type { Services } from '../../services.ts';

/** Longer than any processor sends an event again. */
const retentionMs = 60 * 24 * 60 * 60_000;

/** Purges the ids of events that no processor sends any more. */
export function purgeProcessorEvents({ pool, clock }: Pick<Services, 'pool' | 'clock'>): Promise<number> {
  return execute(
    pool,
    sql`
      DELETE FROM processor_events
      WHERE ctid = ANY(ARRAY(
        SELECT ctid
        FROM processor_events
        WHERE "receivedAt" < ${new Date(clock.now().getTime() - retentionMs)}
        ORDER BY "receivedAt"
        LIMIT 10000
      ))`,
  );
}
