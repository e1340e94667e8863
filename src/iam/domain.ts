import './audit/schema.ts';
import './identity/schema.ts';
import './partners/organizations-schema.ts';
import './partners/schema.ts';
import './probes-schema.ts';
import './staff/schema.ts';
import './users/schema.ts';
import { sql } from '../database/sql.ts';
import type { Domain } from '../domain.ts';
import type { Services } from '../services.ts';
import { anchorAudit } from './audit/anchors.ts';
import { repairMirror } from './identity/repair-mirror.ts';
import { runPendingCompensations } from './partners/pending-compensations.ts';
import { endExpiredInvitations } from './staff/end-expired-invitations.ts';

/** A message is delivered at most a week late. */
const messagesKeptMs = 8 * 86_400_000;
/** No aligned window is longer. A token is valid for a minute after its session has ended. */
const anHourMs = 3_600_000;
/** No sliding window is longer. */
const aDayMs = 24 * anHourMs;

export const iamDomain = {
  name: 'iam',
  idPrefixes: { audit: 'aud_', auditVerification: 'audv_', membership: 'mem_', partner: 'par_' },
  keeps: [
    { table: sql`limits.windows`, by: sql`start`, forMs: anHourMs },
    { table: sql`limits.field_calls`, by: sql`coalesce(calls[cardinality(calls)], '-infinity')`, forMs: aDayMs },
    { table: sql`idp_processed_events`, by: sql`at`, forMs: messagesKeptMs },
    { table: sql`ended_sessions`, by: sql`at`, forMs: anHourMs },
  ],
  jobs: (services: Services) => [
    {
      name: 'run-pending-compensations',
      everyMs: 5_000,
      run: (stopping) => runPendingCompensations(services, stopping),
    },
    {
      name: 'end-expired-invitations',
      everyMs: 600_000,
      run: (stopping) => endExpiredInvitations(services, stopping),
    },
    { name: 'repair-identity-mirror', everyMs: 300_000, run: () => repairMirror(services) },
    {
      name: 'purge-expired-sessions',
      everyMs: 600_000,
      run: async () => services.identityProvider.purgeExpired?.(),
    },
    { name: 'anchor-audit-log', everyMs: 60_000, run: () => anchorAudit(services) },
  ],
} as const satisfies Domain;
