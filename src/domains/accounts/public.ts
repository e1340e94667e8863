/** What other domains may use of this one. No file of this domain imports it. */

export type { AccountFollower } from './account-follower.ts';
export { kybEvent, recordAccountEvent } from './account-records.ts';
export { type AccountRow, lockAccount, lockAnyAccount, noSuchAccount } from './account-rows.ts';
export { AccountFilters } from './inputs.ts';
export { type AccountStatus, accountTransitions, type KybStatus } from './lifecycle.ts';
export { accountList, listAccountsWithin } from './list-accounts.ts';
export { accountsAwaitingReview, awaitingReview } from './list-accounts-awaiting-review.ts';
export { readAccount } from './read-account.ts';
export { AccountPage, AccountSort } from './schema.ts';
export { Account, KybStatusEnum, Mode, Plan } from './types.ts';
