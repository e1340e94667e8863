import type { KybRequirement, ProcessingAccount } from '../../generated/prisma/client.ts';
import type { Write } from '../../write/write.ts';
import { type KybStatus, kybEvent } from '../accounts/public.ts';
import { kybObject } from './kyb-object.ts';
import type { RequirementStatus } from './lifecycle.ts';
import { type KybCode, kybRequirements } from './requirements.ts';

/** Requirements in the form that the functions of `lifecycle.ts` take. */
export function statesOf<Row extends Pick<KybRequirement, 'code' | 'status'>>(
  rows: readonly Row[],
): (Row & { required: boolean; status: RequirementStatus })[] {
  return rows.map((row) => ({
    ...row,
    required: kybRequirements[row.code as KybCode].required,
    status: row.status as RequirementStatus,
  })); // CHECK constraints, as above
}

/** Stores the KYB status of an account and emits its event. The requirements have been changed before. */
export async function moveKyb(
  { tx, now, event }: Write,
  account: ProcessingAccount,
  kybStatus: KybStatus,
): Promise<{ account: ProcessingAccount; rows: KybRequirement[] }> {
  const data = {
    kybStatus,
    kybSubmittedAt: kybStatus === 'submitted' ? (account.kybSubmittedAt ?? now) : null,
    sequence: { increment: 1 },
    updatedAt: now,
  };
  const after = await tx.processingAccount.update({ where: { id: account.id }, data });
  const rows = await tx.kybRequirement.findMany({ where: { platformAccountId: account.id } });
  event(kybEvent(after, kybObject(after, rows)));
  return { account: after, rows };
}
