import type { ProcessingAccount } from '../../generated/prisma/client.ts';
import type { Write } from '../../write/write.ts';

/** A domain that adds rows to a new account. The accounts domain calls it without importing it. */
export interface AccountFollower {
  /** Runs in the transaction that creates the account. */
  accountCreated(change: Write, account: ProcessingAccount): Promise<void>;
}
