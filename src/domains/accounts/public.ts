/** What other domains may use of this one. No file of this domain imports it. */

export {
  type AccountRow,
  type AccountStatus,
  accountTransitions,
  type KybStatus,
  kybEvent,
  lockAccount,
  lockAnyAccount,
  noSuchAccount,
  readAccount,
  recordAccountEvent,
} from './account-rows.ts';
export type { AccountFollower } from './domain.ts';
export { AccountFilters, accountList, accountsAwaitingReview, awaitingReview, listAccountsWithin } from './inputs.ts';
export { AccountPage, AccountSort } from './schema.ts';
export { Account, KybStatusEnum, Mode, Plan } from './types.ts';
