import type { Domain } from '../../domain.ts';
import type { Job } from '../../runtime/jobs.ts';
import type { Services } from '../../services.ts';
import { purgeProcessorEvents } from './purge-events.ts';
import { retryWaitingEvents } from './retry-waiting-events.ts';

export const processorEventsDomain = {
  name: 'processor-events',
  idPrefixes: { unappliedEvent: 'uev_' },
  jobs: (services: Services): Job[] => [
    { name: 'retry-waiting-events', everyMs: 5_000, run: (stopping) => retryWaitingEvents(services, stopping) },
    { name: 'purge-processor-events', everyMs: 600_000, run: (stopping) => purgeProcessorEvents(services, stopping) },
  ],
} as const satisfies Domain;
