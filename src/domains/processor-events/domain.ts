import { sql } from '../../database/sql.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import { removeUnlocked } from '../../jobs/leases.ts';
import type { Services } from '../../services.ts';
import { retryWaitingEvents } from './receive-event.ts';

/** Longer than any processor retries an event. */
const retentionMs = 60 * 24 * 60 * 60_000;

/** Purges the ids of events that no processor sends any more, and events that were not applied. */
async function purgeProcessorEvents(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  stopping?: AbortSignal,
): Promise<number> {
  const before = new Date(clock.earliest().getTime() - retentionMs);
  const old = { by: sql`"receivedAt"`, where: sql`"receivedAt" < ${before}` };
  let count = 0;
  for (const table of [sql`processor_events`, sql`unapplied_events`])
    count += await removeUnlocked(pool, { table, ...old }, stopping);
  return count;
}

export const processorEventsDomain = {
  name: 'processor-events',
  idPrefixes: { unappliedEvent: 'uev_' },
  jobs: (services: Services): Job[] => [
    { name: 'retry-waiting-events', everyMs: 5_000, run: (stopping) => retryWaitingEvents(services, stopping) },
    { name: 'purge-processor-events', everyMs: 600_000, run: (stopping) => purgeProcessorEvents(services, stopping) },
  ],
} as const satisfies Domain;
