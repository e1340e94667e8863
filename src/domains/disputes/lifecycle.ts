import type { DisputeStatus } from '../../ports/card-processor.ts';

/** The transitions of a dispute, without those by which a processor reopens one. */
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
export function holdsFunds(status: DisputeStatus): boolean {
  return status !== 'won';
}

interface Reported {
  status: DisputeStatus;
  reportedAt: Date | null;
}

/**
 * Whether a notice is at least as new as the known state. Notices arrive late, repeatedly and out of order: a later
 * notice always applies, even if it reopens the dispute, and an earlier one never does. A processor may report two
 * states in the same second: then a status that precedes the known one is the earlier of the two.
 */
export function isCurrent(known: Reported, notice: Reported): boolean {
  const before = known.reportedAt?.getTime();
  const after = notice.reportedAt?.getTime();
  if (before !== undefined && after !== undefined && before !== after) return after > before;
  return !mayBecome(notice.status, known.status);
}
