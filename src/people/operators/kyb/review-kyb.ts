import type { SessionContext } from '../../../call/context.ts';
import { approveKyb, lockAnyAccount, rejectKyb, reviewRequirement } from '../../../domains/accounts/public.ts';
import { runAuditedChange } from '../../iam/public.ts';
import { decideKyb, kybViewOf, type OperatorKybView } from './kyb-view.ts';

/** Approves a submitted KYB as a whole. */
export function approveAccountKyb(
  context: SessionContext,
  accountId: string,
  submittedAt: Date | null,
): Promise<OperatorKybView> {
  return decideKyb(context, 'approveKyb', accountId, (change) => approveKyb(change, accountId, submittedAt));
}

/** Rejects a submitted KYB. */
export function rejectAccountKyb(
  context: SessionContext,
  accountId: string,
  reason: string,
  submittedAt: Date | null,
): Promise<OperatorKybView> {
  return decideKyb(context, 'rejectKyb', accountId, (change) => rejectKyb(change, accountId, reason, submittedAt));
}

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

interface Reveal {
  accountId: string;
  reason?: string | null | undefined;
}

/** The KYB of one account with the submitted values in clear text. The audit row is committed before they are read. */
export async function revealKyb(context: SessionContext, { accountId, reason }: Reveal): Promise<OperatorKybView> {
  const action = 'revealKyb';
  const account = await runAuditedChange(context, { action, target: accountId }, async (change) => {
    const found = await lockAnyAccount(change, accountId);
    const sent = await change.tx.kybRequirement.findMany({
      where: { platformAccountId: accountId, value: { not: null } },
      select: { code: true },
    });
    const codes = sent.map(({ code }) => code).sort();
    change.audit({ action, target: accountId, after: { codes, ...(reason != null && { reason }) } });
    return found;
  });
  return kybViewOf(context, account, { reveal: true });
}
