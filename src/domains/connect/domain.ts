import './schema.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../runtime/jobs.ts';
import type { Services } from '../../services.ts';
import { purgeConnectAttempts } from './jobs.ts';

export const connectDomain = {
  name: 'connect',
  jobs: (services: Services): Job[] => [
    { name: 'purge-connect-attempts', everyMs: 600_000, run: () => purgeConnectAttempts(services) },
  ],
} as const satisfies Domain;
