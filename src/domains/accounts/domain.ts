import './schema.ts';
import type { Domain } from '../../domain.ts';
import type { ProcessingAccount } from '../../generated/prisma/client.ts';
import type { Write } from '../../unit-of-work/write.ts';

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

/** A domain that adds rows to a new account. The accounts domain calls it without importing it. */
export interface AccountFollower {
  /** Runs in the transaction that creates the account. */
  accountCreated(change: Write, account: ProcessingAccount): Promise<void>;
}
