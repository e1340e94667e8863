import type { KybRequirement, ProcessingAccount } from '../../generated/prisma/client.ts';
import { invalid } from '../../kit/errors.ts';
import type { Write } from '../../write/write.ts';
import type { KybStatus } from '../accounts/public.ts';
import { moveKyb } from './kyb-records.ts';
import { lockKyb, notWaiting } from './kyb-reviews.ts';
import { mayReview, type RequirementStatus, type ReviewDecision } from './lifecycle.ts';
import type { KybCode } from './requirements.ts';

/**
 * Decides about one requirement. The decision can be repeated until `approveKyb` or `rejectKyb` decides about the
 * whole.
 */
export async function reviewRequirement(
  change: Write,
  accountId: string,
  { code, decision, reason }: { code: KybCode; decision: ReviewDecision; reason: string | null },
): Promise<ProcessingAccount> {
  if (decision === 'rejected' && reason === null) throw invalid('reason', 'is required to reject');
  if (decision === 'approved' && reason !== null) throw invalid('reason', 'is taken to reject only');
  const { account, rows } = await lockKyb(change, accountId);
  const row = rows.find((candidate) => candidate.code === code);
  if (!row || !mayReview(account.kybStatus as KybStatus, row.status as RequirementStatus, decision))
    throw notWaiting(account); // CHECK constraints limit both columns to the states
  const shown = ({ status, rejectionReason }: Pick<KybRequirement, 'status' | 'rejectionReason'>) => ({
    code,
    status,
    rejectionReason,
  });
  change.audit({
    action: 'reviewKybRequirement',
    target: accountId,
    before: shown(row),
    after: shown({ status: decision, rejectionReason: reason }),
    mode: account.mode,
  });
  if (row.status === decision && row.rejectionReason === reason) return account;
  await change.tx.kybRequirement.update({
    where: { id: row.id },
    data: { status: decision, rejectionReason: reason, reviewedAt: change.now },
  });
  return (await moveKyb(change, account, 'submitted')).account;
}
