import type { KybStatus } from '../accounts/public.ts';

/** The states of one requirement (docs/contract/18-kyb.md). */
export const requirementStatuses = ['missing', 'submitted', 'approved', 'rejected'] as const;
export type RequirementStatus = (typeof requirementStatuses)[number];

/** The decisions of a reviewer. */
const reviewDecisions = ['approved', 'rejected'] as const;
export type ReviewDecision = (typeof reviewDecisions)[number];

/**
 * The KYB statuses that may follow each status. Nothing can be submitted while a reviewer reads a submission
 * (`submitted`); `approved` is final.
 */
export const kybTransitions: Readonly<Record<KybStatus, readonly KybStatus[]>> = {
  not_started: ['in_progress', 'submitted'],
  in_progress: ['in_progress', 'submitted'],
  submitted: ['approved', 'rejected'],
  rejected: ['rejected', 'submitted'],
  approved: [],
};

const requirementTransitions: Readonly<Record<RequirementStatus, readonly RequirementStatus[]>> = {
  missing: ['submitted'],
  submitted: ['submitted', 'approved', 'rejected'],
  rejected: ['submitted', 'approved'],
  approved: ['rejected'],
};

export interface RequirementState {
  required: boolean;
  status: RequirementStatus;
}

/** Whether a value may be submitted for a requirement: a first one, or another one before it is approved. */
export function maySubmit(kybStatus: KybStatus, requirement: RequirementStatus): boolean {
  return (
    kybTransitions[kybStatus].includes('submitted') &&
    requirement !== 'approved' &&
    requirementTransitions[requirement].includes('submitted')
  );
}

/** The KYB status after a submission: `submitted` once no required requirement is missing or rejected. */
export function statusAfterSubmission(kybStatus: KybStatus, requirements: readonly RequirementState[]): KybStatus {
  const complete = requirements.every(
    ({ required, status }) => !required || status === 'submitted' || status === 'approved',
  );
  if (complete) return 'submitted';
  return kybStatus === 'rejected' ? 'rejected' : 'in_progress';
}

/**
 * Whether a reviewer may decide about one requirement. A decision can be corrected until the KYB as a whole is
 * decided.
 */
export function mayReview(kybStatus: KybStatus, requirement: RequirementStatus, decision: ReviewDecision): boolean {
  return (
    kybStatus === 'submitted' && (requirement === decision || requirementTransitions[requirement].includes(decision))
  );
}

/** Why the KYB as a whole cannot be approved, or null. */
export function refusalOfApproval(
  kybStatus: KybStatus,
  requirements: readonly RequirementState[],
): 'not_submitted' | 'requirement_rejected' | null {
  if (!kybTransitions[kybStatus].includes('approved')) return 'not_submitted';
  return requirements.some(({ status }) => status === 'rejected') ? 'requirement_rejected' : null;
}

/**
 * The requirements that a rejection of the whole rejects: those that a reviewer rejected individually, or all submitted
 * ones if there are none.
 */
export function rejectedRequirements<Requirement extends RequirementState>(
  requirements: readonly Requirement[],
): Requirement[] {
  const rejected = requirements.filter(({ status }) => status === 'rejected');
  return rejected.length > 0 ? rejected : requirements.filter(({ status }) => status !== 'missing');
}
