import './schema.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import { rewrapColumn } from '../../keys/rewrap.ts';
import type { Services } from '../../services.ts';
import { processorSecrets } from './connection.ts';

export const processorsDomain = {
  name: 'processors',
  reference: {
    title: 'Processors',
    description: 'The card processors of an account, and how a merchant connects an account of its own.',
  },
  idPrefixes: { processor: 'proc_' },
  jobs: (services: Services): Job[] => [
    { name: 'rewrap-processor-secrets', everyMs: 60_000, run: () => rewrapColumn(services, processorSecrets) },
  ],
} as const satisfies Domain;
