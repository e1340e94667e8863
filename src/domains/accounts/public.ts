/** What other domains may use of this one. No file of this domain imports it. */

export { accounts, accountsAwaitingReview, awaitingReview } from './account-list.ts';
export {
  type AccountRow,
  type AccountStatus,
  accountTransitions,
  lockAnyAccount,
  recordAccountEvent,
  setAccount,
} from './account-rows.ts';
export { type KybView, withRequirements } from './kyb/kyb-rows.ts';
export { approveKyb, readRevealed, rejectKyb, reviewRequirement } from './kyb/review.ts';
export { Kyb } from './kyb/schema.ts';
export { Account, Plan } from './types.ts';
