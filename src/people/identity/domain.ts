import './schema.ts';
import { sql } from '../../database/sql.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import { removeUnlocked } from '../../jobs/leases.ts';
import { purgeAttempts } from '../../limits/windows.ts';
import type { Services } from '../../services.ts';
import { repairMirror } from './repair-mirror.ts';

/** A message is delivered at most a week late. */
const messagesKeptMs = 8 * 86_400_000;
/** A token is valid for a minute after its session has ended. */
const endedSessionsKeptMs = 3_600_000;

/**
 * Deletes what is no longer read: ids of received messages, ended sessions, and the expired sessions of the embedded
 * provider.
 */
export async function purgeIdentityRows({
  pool,
  clock,
  identityProvider,
}: Pick<Services, 'pool' | 'clock' | 'identityProvider'>): Promise<void> {
  const olderThan = (ms: number) => ({ by: sql`at`, where: sql`at < ${new Date(clock.earliest().getTime() - ms)}` });
  await removeUnlocked(pool, { table: sql`idp_processed_events`, ...olderThan(messagesKeptMs) });
  await removeUnlocked(pool, { table: sql`ended_sessions`, ...olderThan(endedSessionsKeptMs) });
  await identityProvider.purgeExpired?.();
}

export const identityDomain = {
  name: 'identity',
  jobs: (services: Services): Job[] => [
    { name: 'repair-identity-mirror', everyMs: 300_000, run: () => repairMirror(services) },
    { name: 'purge-sign-in-attempts', everyMs: 600_000, run: () => purgeAttempts(services) },
    { name: 'purge-identity-rows', everyMs: 600_000, run: () => purgeIdentityRows(services) },
  ],
} as const satisfies Domain;
