import './schema.ts';
import type { Domain } from '../../domain.ts';

export const accountsDomain = {
  name: 'accounts',
  reference: {
    title: 'Accounts',
    description:
      'One processing account for each merchant. An account and everything below it stay in the mode ' +
      'of the key that created the account.',
  },
  idPrefixes: { organization: 'acc_', account: 'tpa_' },
  eventTypes: ['account/created', 'account/updated', 'account/kybUpdated'],
} as const satisfies Domain;
