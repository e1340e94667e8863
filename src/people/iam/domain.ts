import './probes-schema.ts';
import './staff/schema.ts';
import './users/schema.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import type { Services } from '../../services.ts';
import { endExpiredInvitations } from './staff/end-expired-invitations.ts';

export const iamDomain = {
  name: 'iam',
  idPrefixes: { membership: 'mem_' },
  jobs: (services: Services): Job[] => [
    {
      name: 'end-expired-invitations',
      everyMs: 600_000,
      run: (stopping) => endExpiredInvitations(services, stopping),
    },
  ],
} as const satisfies Domain;
