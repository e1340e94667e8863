import './organizations-schema.ts';
import './schema.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import type { Services } from '../../services.ts';
import { runPendingCompensations } from './pending-compensations.ts';

export const partnersDomain = {
  name: 'partners',
  idPrefixes: { partner: 'par_' },
  jobs: (services: Services): Job[] => [
    {
      name: 'run-pending-compensations',
      everyMs: 5_000,
      run: (stopping) => runPendingCompensations(services, stopping),
    },
  ],
} as const satisfies Domain;
