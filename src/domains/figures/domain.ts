import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import type { Services } from '../../services.ts';
import { sumDays } from './sum-days.ts';

export const figuresDomain = {
  name: 'figures',
  jobs: (services: Services): Job[] => [
    { name: 'sum-figures', everyMs: 60_000, run: (stopping) => sumDays(services, stopping) },
  ],
} as const satisfies Domain;
