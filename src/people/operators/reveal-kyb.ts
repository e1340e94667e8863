import { lockAnyAccount } from '../../domains/accounts/public.ts';
import type { SessionContext } from '../../graph/context.ts';
import { runAuditedChange } from '../iam/public.ts';
import { kybViewOf, type OperatorKybView } from './kyb-view.ts';

interface Reveal {
  accountId: string;
  reason?: string | null | undefined;
}

/** The KYB of one account with the sent values in clear text. The audit row is committed before they are read. */
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
