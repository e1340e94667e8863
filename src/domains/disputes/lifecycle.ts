import type { DisputeStatus } from '../../ports/card-processor.ts';

/**
 * The transitions of a dispute. Notices of a processor may arrive late and out of order: a notice without a transition
 * is outdated.
 */
export const disputeTransitions: Readonly<Record<DisputeStatus, readonly DisputeStatus[]>> = {
  needs_response: ['under_review', 'won', 'lost'],
  under_review: ['won', 'lost'],
  won: [],
  lost: [],
};

export function mayBecome(from: DisputeStatus, to: DisputeStatus): boolean {
  return disputeTransitions[from].includes(to);
}

export function isClosed(status: DisputeStatus): boolean {
  return disputeTransitions[status].length === 0;
}

/** Whether the disputed amount has left the balance: from the opening on, unless the dispute is won. */
export function takesMoney(status: DisputeStatus): boolean {
  return status !== 'won';
}
