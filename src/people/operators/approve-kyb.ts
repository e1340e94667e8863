import { approveKyb } from '../../domains/kyb/public.ts';
import type { SessionContext } from '../../graph/context.ts';
import { decideKyb, type OperatorKybView } from './kyb-view.ts';

/** Approves a submitted KYB as a whole. */
export function approveAccountKyb(
  context: SessionContext,
  accountId: string,
  submittedAt: Date | null,
): Promise<OperatorKybView> {
  return decideKyb(context, 'approveKyb', accountId, (change) => approveKyb(change, accountId, submittedAt));
}
