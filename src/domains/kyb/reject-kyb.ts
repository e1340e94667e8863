import type { ProcessingAccount } from '../../generated/prisma/client.ts';
import type { Write } from '../../write/write.ts';
import { moveKyb, statesOf } from './kyb-records.ts';
import { assertRead, lockKyb, notWaiting, statusFieldsOf, unchanged } from './kyb-reviews.ts';
import { rejectedRequirements } from './lifecycle.ts';

/** Rejects the KYB: the requirements that were rejected individually, or all submitted ones if there are none. */
export async function rejectKyb(
  change: Write,
  accountId: string,
  reason: string,
  submittedAt: Date | null,
): Promise<ProcessingAccount> {
  const { tx, now } = change;
  const { account, rows } = await lockKyb(change, accountId);
  if (account.kybStatus === 'rejected') return unchanged(change, 'rejectKyb', account);
  if (account.kybStatus !== 'submitted') throw notWaiting(account);
  assertRead(account, submittedAt);
  const back = rejectedRequirements(statesOf(rows));
  const undecided = back.filter(({ status }) => status !== 'rejected').map(({ id }) => id);
  await tx.kybRequirement.updateMany({
    where: { id: { in: undecided } },
    data: { status: 'rejected', rejectionReason: reason, reviewedAt: now },
  });
  const { account: after } = await moveKyb(change, account, 'rejected');
  change.audit({
    action: 'rejectKyb',
    target: accountId,
    before: statusFieldsOf(account),
    after: { ...statusFieldsOf(after), reason, codes: back.map(({ code }) => code) },
  });
  return after;
}
