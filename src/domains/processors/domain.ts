import './schema.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import { rewrapBatch } from '../../keys/key-ring.ts';
import type { Services } from '../../services.ts';
import { rewrapProcessorSecrets } from './connection.ts';

export const processorsDomain = {
  name: 'processors',
  reference: {
    title: 'Processors',
    description: 'The card processors of an account, and how a merchant connects an account of its own.',
  },
  idPrefixes: { processor: 'proc_' },
  jobs: (services: Services): Job[] => [
    { name: 'rewrap-processor-secrets', everyMs: 60_000, run: () => rewrapProcessorSecrets(services, rewrapBatch) },
  ],
} as const satisfies Domain;
