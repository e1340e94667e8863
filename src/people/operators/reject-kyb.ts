import { rejectKyb } from '../../domains/kyb/public.ts';
import type { SessionContext } from '../../graph/context.ts';
import { decideKyb, type OperatorKybView } from './kyb-view.ts';

/** Rejects a submitted KYB. */
export function rejectAccountKyb(
  context: SessionContext,
  accountId: string,
  reason: string,
  submittedAt: Date | null,
): Promise<OperatorKybView> {
  return decideKyb(context, 'rejectKyb', accountId, (change) => rejectKyb(change, accountId, reason, submittedAt));
}
