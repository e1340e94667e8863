import { reviewRequirement } from '../../domains/kyb/public.ts';
import type { SessionContext } from '../../graph/context.ts';
import { decideKyb, type OperatorKybView } from './kyb-view.ts';

/** Approves or rejects one requirement of a submitted KYB. */
export function reviewKybRequirement(
  context: SessionContext,
  accountId: string,
  decision: Parameters<typeof reviewRequirement>[2],
): Promise<OperatorKybView> {
  return decideKyb(context, 'reviewKybRequirement', accountId, (change) =>
    reviewRequirement(change, accountId, decision),
  );
}
