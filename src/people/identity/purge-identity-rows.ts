import { removeUnlocked } from '../../database/remove-unlocked.ts';
import { sql } from '../../database/sql.ts';
import type { Services } from '../../services.ts';

/** A message is delivered at most a week late. */
const messagesKeptMs = 8 * 86_400_000;
/** A token is valid for a minute after its session has ended. */
const endedSessionsKeptMs = 3_600_000;

/** Removes what is no longer read: seen messages, ended sessions, and the expired sessions of an own provider. */
export async function purgeIdentityRows({
  pool,
  clock,
  identityProvider,
}: Pick<Services, 'pool' | 'clock' | 'identityProvider'>): Promise<void> {
  const olderThan = (ms: number) => ({ by: sql`at`, where: sql`at < ${new Date(clock.passed().getTime() - ms)}` });
  await removeUnlocked(pool, { table: sql`idp_events_seen`, ...olderThan(messagesKeptMs) });
  await removeUnlocked(pool, { table: sql`ended_sessions`, ...olderThan(endedSessionsKeptMs) });
  await identityProvider.purgeExpired?.();
}
