import { sql } from '../../database/sql.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import type { Services } from '../../services.ts';
import { retryWaitingEvents } from './receive-event.ts';

/** Longer than any processor retries an event. */
const keptMs = 60 * 24 * 60 * 60_000;

export const processorEventsDomain = {
  name: 'processor-events',
  keeps: [
    { table: sql`processor_events`, by: sql`"receivedAt"`, forMs: keptMs },
    { table: sql`unapplied_events`, by: sql`"receivedAt"`, forMs: keptMs },
  ],
  idPrefixes: { unappliedEvent: 'uev_' },
  jobs: (services: Services): Job[] => [
    { name: 'retry-waiting-events', everyMs: 5_000, run: (stopping) => retryWaitingEvents(services, stopping) },
  ],
} as const satisfies Domain;
