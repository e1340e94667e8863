import './schema.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import type { Services } from '../../services.ts';
import { sumDays } from './figures/sum-days.ts';

export const ledgerDomain = {
  name: 'ledger',
  jobs: (services: Services): Job[] => [
    { name: 'sum-figures', everyMs: 60_000, run: (stopping) => sumDays(services, stopping) },
  ],
} as const satisfies Domain;
