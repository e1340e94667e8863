import './schema.ts';
import { sql } from '../../database/sql.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import { removeUnlocked } from '../../jobs/leases.ts';
import type { Services } from '../../services.ts';
import { purgeTestCodes } from './test-authorization.ts';

/**
 * Rows are kept longer than their state is valid, so that a replay has its answer and a late browser gets the reason.
 */
const rowLivesMs = 48 * 3_600_000;

/** Deletes attempts and test codes whose retention is over. */
export async function purgeConnectAttempts(services: Pick<Services, 'pool' | 'clock'>): Promise<number> {
  const where = sql`"createdAt" <= ${new Date(services.clock.earliest().getTime() - rowLivesMs)}`;
  const attempts = { table: sql`connect_attempts`, by: sql`"createdAt"`, where };
  return (await removeUnlocked(services.pool, attempts)) + (await purgeTestCodes(services));
}

export const connectDomain = {
  name: 'connect',
  jobs: (services: Services): Job[] => [
    { name: 'purge-connect-attempts', everyMs: 600_000, run: () => purgeConnectAttempts(services) },
  ],
} as const satisfies Domain;
