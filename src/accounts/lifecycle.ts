/** The states of an account and of its KYB (contract 18). */
export const accountStatuses = ['pending_operator_assignment', 'active', 'suspended', 'closed'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

/** Which standing of an account may follow which; closed is for good. */
export const accountTransitions: Readonly<Record<AccountStatus, readonly AccountStatus[]>> = {
  pending_operator_assignment: ['active', 'closed'],
  active: ['suspended', 'closed'],
  suspended: ['active', 'closed'],
  closed: [],
};

export const kybStatuses = ['not_started', 'in_progress', 'submitted', 'approved', 'rejected'] as const;
export type KybStatus = (typeof kybStatuses)[number];
