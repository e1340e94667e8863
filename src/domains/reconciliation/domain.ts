import type { Domain } from '../../domain.ts';
import type { Job } from '../../runtime/jobs.ts';
import type { Services } from '../../services.ts';
import { reconcileWithProcessor } from './reconcile.ts';

export const reconciliationDomain = {
  name: 'reconciliation',
  jobs: (services: Services): Job[] => [
    {
      name: 'reconcile-with-processor',
      everyMs: 600_000,
      run: (stopping) => reconcileWithProcessor(services, stopping),
    },
  ],
} as const satisfies Domain;
