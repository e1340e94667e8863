import './schema.ts';
import { sql } from '../../database/sql.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import type { Services } from '../../services.ts';
import { repairMirror } from './repair-mirror.ts';

/** A message is delivered at most a week late. */
const messagesKeptMs = 8 * 86_400_000;
/** No window of calls is longer. A token is valid for a minute after its session has ended. */
const anHourMs = 3_600_000;

export const identityDomain = {
  name: 'identity',
  keeps: [
    { table: sql`limits.windows`, by: sql`start`, forMs: anHourMs },
    { table: sql`limits.field_calls`, by: sql`coalesce(calls[cardinality(calls)], '-infinity')`, forMs: anHourMs },
    { table: sql`idp_processed_events`, by: sql`at`, forMs: messagesKeptMs },
    { table: sql`ended_sessions`, by: sql`at`, forMs: anHourMs },
  ],
  jobs: (services: Services): Job[] => [
    { name: 'repair-identity-mirror', everyMs: 300_000, run: () => repairMirror(services) },
    {
      name: 'purge-expired-sessions',
      everyMs: 600_000,
      run: async () => services.identityProvider.purgeExpired?.(),
    },
  ],
} as const satisfies Domain;
