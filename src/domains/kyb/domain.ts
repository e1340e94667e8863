import './schema.ts';
import { type Domain, rewrapBatch } from '../../domain.ts';
import type { Job } from '../../runtime/jobs.ts';
import type { Services } from '../../services.ts';
import { kybFollower } from './follow-accounts.ts';
import { rewrapKybValues } from './values.ts';

export const kybDomain = {
  name: 'kyb',
  reference: {
    title: 'KYB',
    description: 'The verification that a business must pass before its account can charge in live mode.',
  },
  idPrefixes: { kybRequirement: 'kyb_' },
  jobs: (services: Services): Job[] => [
    { name: 'rewrap-kyb-values', everyMs: 60_000, run: () => rewrapKybValues(services, rewrapBatch) },
  ],
  follows: { accounts: kybFollower },
} as const satisfies Domain;
