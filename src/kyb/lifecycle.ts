import type { KybStatus } from '../accounts/lifecycle.ts';

/** The states of one requirement (contract 18). */
export const requirementStatuses = ['missing', 'submitted', 'approved', 'rejected'] as const;
export type RequirementStatus = (typeof requirementStatuses)[number];

/** What a reviewer makes of something. */
export const reviewDecisions = ['approved', 'rejected'] as const;
export type ReviewDecision = (typeof reviewDecisions)[number];

/** What may follow what. While it is `submitted` a reviewer reads it, so nothing may be sent over it; `approved` is final. */
export const kybTransitions: Readonly<Record<KybStatus, readonly KybStatus[]>> = {
  not_started: ['in_progress', 'submitted'],
  in_progress: ['in_progress', 'submitted'],
  submitted: ['approved', 'rejected'],
  rejected: ['rejected', 'submitted'],
  approved: [],
};

export const requirementTransitions: Readonly<Record<RequirementStatus, readonly RequirementStatus[]>> = {
  missing: ['submitted'],
  submitted: ['submitted', 'approved', 'rejected'],
  rejected: ['submitted', 'approved'],
  approved: ['rejected'],
};

export interface RequirementState {
  required: boolean;
  status: RequirementStatus;
}

/** Whether a value may be sent for a requirement: a new one, or another while nobody has approved it. */
export function maySubmit(kybStatus: KybStatus, requirement: RequirementStatus): boolean {
  return (
    kybTransitions[kybStatus].includes('submitted') &&
    requirement !== 'approved' &&
    requirementTransitions[requirement].includes('submitted')
  );
}

/** Where a submission leads: to review once nothing that is required is missing or rejected. */
export function statusAfterSubmission(kybStatus: KybStatus, requirements: readonly RequirementState[]): KybStatus {
  const complete = requirements.every(
    ({ required, status }) => !required || status === 'submitted' || status === 'approved',
  );
  if (complete) return 'submitted';
  return kybStatus === 'rejected' ? 'rejected' : 'in_progress';
}

/** Whether a reviewer may decide about one requirement, also a second time: until the whole is decided, a slip can be mended. */
export function mayReview(kybStatus: KybStatus, requirement: RequirementStatus, decision: ReviewDecision): boolean {
  return (
    kybStatus === 'submitted' && (requirement === decision || requirementTransitions[requirement].includes(decision))
  );
}

/** Why the whole cannot be approved, or null. */
export function refusalOfApproval(
  kybStatus: KybStatus,
  requirements: readonly RequirementState[],
): 'not_submitted' | 'requirement_rejected' | null {
  if (!kybTransitions[kybStatus].includes('approved')) return 'not_submitted';
  return requirements.some(({ status }) => status === 'rejected') ? 'requirement_rejected' : null;
}

/** Which requirements a rejection of the whole sends back: those a reviewer rejected one by one, or else all that were sent. */
export function sentBack<Requirement extends RequirementState>(requirements: readonly Requirement[]): Requirement[] {
  const rejected = requirements.filter(({ status }) => status === 'rejected');
  return rejected.length > 0 ? rejected : requirements.filter(({ status }) => status !== 'missing');
}
