import './schema.ts';
import { purgeAttempts } from '../../auth/attempts.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../runtime/jobs.ts';
import type { Services } from '../../services.ts';
import { purgeIdentityRows } from './purge-identity-rows.ts';
import { repairMirror } from './repair-mirror.ts';

export const identityDomain = {
  name: 'identity',
  jobs: (services: Services): Job[] => [
    { name: 'repair-identity-mirror', everyMs: 300_000, run: () => repairMirror(services) },
    { name: 'purge-sign-in-attempts', everyMs: 600_000, run: () => purgeAttempts(services) },
    { name: 'purge-identity-rows', everyMs: 600_000, run: () => purgeIdentityRows(services) },
  ],
} as const satisfies Domain;
