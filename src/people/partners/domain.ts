import './organizations-schema.ts';
import './schema.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import type { Services } from '../../services.ts';
import { runPendingReverts } from './pending-reverts.ts';

export const partnersDomain = {
  name: 'partners',
  idPrefixes: { partner: 'par_' },
  jobs: (services: Services): Job[] => [
    { name: 'run-pending-reverts', everyMs: 5_000, run: (stopping) => runPendingReverts(services, stopping) },
  ],
} as const satisfies Domain;
