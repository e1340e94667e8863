import type { KybStatus } from '../accounts/lifecycle.ts';
import { accountObject, kybEvent } from '../accounts/operations.ts';
import type { KybRequirement, ProcessingAccount } from '../generated/prisma/client.ts';
import type { Write } from '../kit/write.ts';
import type { RequirementStatus } from './lifecycle.ts';
import { categoryOf, type KybCode, kybCodes, kybRequirements } from './requirements.ts';

/** A requirement as anybody but a reviewer may see it: what was sent is not in it. */
export interface RequirementView {
  code: KybCode;
  category: string;
  description: string;
  required: boolean;
  status: RequirementStatus;
  rejectionReason: string | null;
  submittedAt: Date | null;
  reviewedAt: Date | null;
}

export interface KybView {
  platformAccountId: string;
  kybStatus: KybStatus;
  requirements: RequirementView[];
}

export function kybView(
  account: Pick<ProcessingAccount, 'id' | 'kybStatus'>,
  rows: readonly KybRequirement[],
): KybView {
  return {
    platformAccountId: account.id,
    kybStatus: account.kybStatus as KybStatus,
    requirements: inOrder(rows).map(requirementView),
  }; // a CHECK constraint holds the column to the states
}

/** The rows in the order in which they are asked for. */
export function inOrder(rows: readonly KybRequirement[]): KybRequirement[] {
  const place = ({ code }: KybRequirement): number => kybCodes.indexOf(code as KybCode); // a CHECK constraint holds the column to the codes
  return [...rows].sort((a, b) => place(a) - place(b));
}

function requirementView({
  code: given,
  status,
  rejectionReason,
  submittedAt,
  reviewedAt,
}: KybRequirement): RequirementView {
  const code = given as KybCode; // as above
  return {
    code,
    category: categoryOf(code),
    ...kybRequirements[code],
    status: status as RequirementStatus,
    rejectionReason,
    submittedAt,
    reviewedAt,
  }; // a CHECK constraint holds the column to the states
}

/** As the pure rules look at requirements. */
export function statesOf<Row extends Pick<KybRequirement, 'code' | 'status'>>(
  rows: readonly Row[],
): (Row & { required: boolean; status: RequirementStatus })[] {
  return rows.map((row) => ({
    ...row,
    required: kybRequirements[row.code as KybCode].required,
    status: row.status as RequirementStatus,
  })); // CHECK constraints, as above
}

/** Writes how far an account's KYB has come, with the event that tells of it. The requirements are there already. */
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
  const { requirements } = kybView(after, rows);
  event(kybEvent(after, { ...accountObject(after), requirements }));
  return { account: after, rows };
}
