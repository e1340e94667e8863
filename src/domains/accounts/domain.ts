import './schema.ts';
import './kyb/schema.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import { rewrapColumn } from '../../keys/rewrap.ts';
import type { Services } from '../../services.ts';
import { kybValues } from './kyb/kyb-rows.ts';

export const accountsDomain = {
  name: 'accounts',
  reference: {
    title: 'Accounts',
    description:
      'One processing account for each merchant. An account and everything below it stay in the mode ' +
      'of the key that created the account.',
  },
  rooms: {
    kyb: {
      title: 'KYB',
      description: 'The verification that a business must pass before its account can charge in live mode.',
    },
  },
  idPrefixes: { organization: 'acc_', account: 'tpa_', kybRequirement: 'kyb_' },
  eventTypes: ['account/created', 'account/updated', 'account/kybUpdated'],
  jobs: (services: Services): Job[] => [
    { name: 'rewrap-kyb-values', everyMs: 60_000, run: () => rewrapColumn(services, kybValues) },
  ],
} as const satisfies Domain;
