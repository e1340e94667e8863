/** The states of an account and of its KYB (docs/contract/18-kyb.md). */
export const accountStatuses = ['pending_operator_assignment', 'active', 'suspended', 'closed'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

/** The statuses that may follow each status. `closed` is final. */
export const accountTransitions: Readonly<Record<AccountStatus, readonly AccountStatus[]>> = {
  pending_operator_assignment: ['active', 'closed'],
  active: ['suspended', 'closed'],
  suspended: ['active', 'closed'],
  closed: [],
};

export const kybStatuses = ['not_started', 'in_progress', 'submitted', 'approved', 'rejected'] as const;
export type KybStatus = (typeof kybStatuses)[number];
