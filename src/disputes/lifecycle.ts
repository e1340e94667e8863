import type { DisputeStatus } from '../ports/card-processor.ts';

/** What may follow what. A processor's messages may come late and out of order: what does not follow is an old one. */
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

/** Whether the cardholder's bank has the money: from the start, and for good unless the dispute is won. */
export function takesMoney(status: DisputeStatus): boolean {
  return status !== 'won';
}
