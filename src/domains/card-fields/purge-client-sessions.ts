import { removeUnlocked } from '../../database/remove-unlocked.ts';
import { sql } from '../../database/sql.ts';
import type { Services } from '../../services.ts';

/** A challenge of the card is answered on a page of the session, and its first charges find the session's attempts. */
const keptMs = 24 * 3_600_000;

/** Deletes the sessions that expired more than a day ago. */
export function purgeClientSessions(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  stopping?: AbortSignal,
): Promise<number> {
  const where = sql`"expiresAt" < ${new Date(clock.realPassed().getTime() - keptMs)}`;
  return removeUnlocked(pool, { table: sql`client_sessions`, by: sql`"expiresAt"`, where }, stopping);
}
