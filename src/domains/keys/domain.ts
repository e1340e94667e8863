import './schema.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import type { Services } from '../../services.ts';
import { aggregateKeyUses } from './change-key.ts';

export const keysDomain = {
  name: 'keys',
  reference: {
    title: 'Keys',
    description:
      'API keys. A partner key reaches every account of its partner; a sub-key reaches one account. ' +
      'The secret is returned once, when the key is created.',
  },
  idPrefixes: { apiKey: 'ak_' },
  jobs: (services: Services): Job[] => [
    { name: 'aggregate-key-uses', everyMs: 1_000, run: () => aggregateKeyUses(services) },
  ],
} as const satisfies Domain;
