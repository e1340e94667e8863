import { inBatches } from '../../database/in-batches.ts';
import { constant, execute, sql } from '../../database/sql.ts';
import type { Services } from '../../services.ts';

/** A challenge of the card is answered on a page of the session, and its first charges find the session's attempts. */
const keptMs = 24 * 3_600_000;
const batchMax = 10_000;

/** Deletes the sessions that expired more than a day ago. */
export function purgeClientSessions(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  stopping?: AbortSignal,
): Promise<number> {
  const purge = sql`
    DELETE FROM client_sessions
    WHERE id = ANY(ARRAY(
      SELECT id
      FROM client_sessions
      WHERE "expiresAt" < ${new Date(clock.realPassed().getTime() - keptMs)}
      LIMIT ${constant(batchMax)}
    ))`;
  return inBatches(batchMax, () => execute(pool, purge), stopping);
}
