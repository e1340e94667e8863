import type { KybRequirement, ProcessingAccount } from '../../generated/prisma/client.ts';
import { Conflict } from '../../kit/errors.ts';
import type { Write } from '../../write/write.ts';
import { lockAnyAccount } from '../accounts/public.ts';
import { inOrder } from './kyb-object.ts';
import type { KybValue } from './requirements.ts';

/** An account with its requirements. `values` are null unless they were revealed. */
export interface KybReview {
  account: ProcessingAccount;
  rows: KybRequirement[];
  values: ReadonlyMap<string, KybValue> | null;
}

export async function lockKyb(
  change: Write,
  accountId: string,
): Promise<{ account: ProcessingAccount; rows: KybRequirement[] }> {
  const account = await lockAnyAccount(change, accountId);
  if (account.status === 'closed') throw new Conflict('invalid_state', 'The account is closed (invalid_state).');
  return {
    account,
    rows: inOrder(await change.tx.kybRequirement.findMany({ where: { platformAccountId: accountId } })),
  };
}

/** Another reviewer made the same decision before: only the audit row is written. */
export function unchanged({ audit }: Write, action: string, account: ProcessingAccount): ProcessingAccount {
  const shown = statusFieldsOf(account);
  audit({ action, target: account.id, before: shown, after: shown, mode: account.mode });
  return account;
}

/** A reviewer must not decide about values that were submitted after they read the review. */
export function assertRead({ kybSubmittedAt }: ProcessingAccount, submittedAt: Date | null): void {
  if (submittedAt !== null && submittedAt.getTime() !== kybSubmittedAt?.getTime())
    throw new Conflict('invalid_state', 'It was sent again since you read it: read it again (invalid_state).');
}

export function notWaiting({ kybStatus }: ProcessingAccount): Conflict {
  return new Conflict('invalid_state', `This does not wait for a review: the KYB is ${kybStatus} (invalid_state).`, {
    kybStatus,
  });
}

export function statusFieldsOf({ status, kybStatus }: ProcessingAccount): object {
  return { status, kybStatus };
}
