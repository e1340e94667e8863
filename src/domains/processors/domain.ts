import './schema.ts';
import './connect/schema.ts';
import './flows/schema.ts';
import { sql } from '../../database/sql.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import { rewrapColumn } from '../../keys/rewrap.ts';
import type { Services } from '../../services.ts';
import { processorSecrets } from './connection.ts';

/** Longer than the state of an attempt is valid, so that a replay has its answer and a late browser gets the reason. */
const attemptsKeptMs = 48 * 3_600_000;

export const processorsDomain = {
  name: 'processors',
  reference: {
    title: 'Processors',
    description: 'The card processors of an account, and how a merchant connects an account of its own.',
  },
  rooms: {
    'payment-flows': {
      title: 'Payment flows',
      description: 'Which processor a charge goes to, and which processors are tried when it fails.',
    },
  },
  idPrefixes: { processor: 'proc_', paymentFlow: 'flow_' },
  keeps: [
    { table: sql`connect_attempts`, by: sql`"createdAt"`, forMs: attemptsKeptMs },
    { table: sql`test_processor.connect_codes`, by: sql`"expiresAt"`, forMs: 0 },
  ],
  jobs: (services: Services): Job[] => [
    { name: 'rewrap-processor-secrets', everyMs: 60_000, run: () => rewrapColumn(services, processorSecrets) },
  ],
} as const satisfies Domain;
