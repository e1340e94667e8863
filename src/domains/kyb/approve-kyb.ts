import type { ProcessingAccount } from '../../generated/prisma/client.ts';
import { Conflict } from '../../kit/errors.ts';
import type { Write } from '../../write/write.ts';
import { type KybStatus, recordAccountEvent } from '../accounts/public.ts';
import { moveKyb, statesOf } from './kyb-records.ts';
import { assertRead, lockKyb, notWaiting, statusFieldsOf, unchanged } from './kyb-reviews.ts';
import { refusalOfApproval } from './lifecycle.ts';

/**
 * Approves the KYB and activates an account that was waiting for it. `submittedAt` identifies the submission that the
 * reviewer read: 409 if there is a newer one.
 */
export async function approveKyb(
  change: Write,
  accountId: string,
  submittedAt: Date | null,
): Promise<ProcessingAccount> {
  const { tx, now } = change;
  const { account, rows } = await lockKyb(change, accountId);
  if (account.kybStatus === 'approved') return unchanged(change, 'approveKyb', account);
  // a CHECK constraint limits the column to the states
  const refusal = refusalOfApproval(account.kybStatus as KybStatus, statesOf(rows));
  if (refusal === 'not_submitted') throw notWaiting(account);
  if (refusal === 'requirement_rejected')
    throw new Conflict(
      'invalid_state',
      'A requirement was rejected: approve it first, or reject the whole (invalid_state).',
    );
  assertRead(account, submittedAt);
  await tx.kybRequirement.updateMany({
    where: { platformAccountId: accountId, status: 'submitted' },
    data: { status: 'approved', reviewedAt: now },
  });
  const { account: approved } = await moveKyb(change, account, 'approved');
  const after = approved.status === 'pending_operator_assignment' ? await activate(change, approved) : approved;
  change.audit({
    action: 'approveKyb',
    target: accountId,
    before: statusFieldsOf(account),
    after: statusFieldsOf(after),
  });
  return after;
}

async function activate(change: Write, { id }: ProcessingAccount): Promise<ProcessingAccount> {
  const account = await change.tx.processingAccount.update({
    where: { id },
    data: { status: 'active', sequence: { increment: 1 }, updatedAt: change.now },
  });
  await recordAccountEvent(change, 'account/updated', account);
  return account;
}
