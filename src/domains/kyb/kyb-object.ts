import type { KybRequirement, ProcessingAccount } from '../../generated/prisma/client.ts';
import type { KybStatus } from '../accounts/public.ts';
import type { RequirementStatus } from './lifecycle.ts';
import { categoryOf, type KybCategory, type KybCode, kybCodes, kybRequirements } from './requirements.ts';

/** A requirement without the submitted value, which only reviewers may read. */
export interface RequirementObject {
  code: KybCode;
  category: KybCategory;
  description: string;
  required: boolean;
  status: RequirementStatus;
  rejectionReason: string | null;
  submittedAt: Date | null;
  reviewedAt: Date | null;
}

/** The KYB of an account as the API answers it. Reads and events use the same object. */
export interface KybObject {
  platformAccountId: string;
  kybStatus: KybStatus;
  requirements: RequirementObject[];
}

export function kybObject(
  account: Pick<ProcessingAccount, 'id' | 'kybStatus'>,
  rows: readonly KybRequirement[],
): KybObject {
  return {
    platformAccountId: account.id,
    kybStatus: account.kybStatus as KybStatus,
    requirements: inOrder(rows).map(requirementObject),
  }; // a CHECK constraint limits the column to the states
}

/** Sorts requirements into their public order. */
export function inOrder(rows: readonly KybRequirement[]): KybRequirement[] {
  // a CHECK constraint limits the column to the codes
  const place = ({ code }: KybRequirement): number => kybCodes.indexOf(code as KybCode);
  return [...rows].sort((a, b) => place(a) - place(b));
}

function requirementObject({
  code: given,
  status,
  rejectionReason,
  submittedAt,
  reviewedAt,
}: KybRequirement): RequirementObject {
  const code = given as KybCode; // as above
  return {
    code,
    category: categoryOf(code),
    description: kybRequirements[code].description,
    required: kybRequirements[code].required,
    status: status as RequirementStatus,
    rejectionReason,
    submittedAt,
    reviewedAt,
  }; // a CHECK constraint limits the column to the states
}
