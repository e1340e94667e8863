import { lockAnyAccount } from '../../domains/accounts/public.ts';
import type { SessionContext } from '../../graph/context.ts';
import { runAuditedChange } from '../iam/public.ts';
import { kybViewOf, type OperatorKybView } from './kyb-view.ts';

/** The KYB of one account with the sent values in clear text. The audit row is committed before they are read. */
export async function revealKyb(context: SessionContext, accountId: string): Promise<OperatorKybView> {
  const action = 'revealKyb';
  const account = await runAuditedChange(context, { action, target: accountId }, async (change) => {
    const found = await lockAnyAccount(change, accountId);
    const sent = await change.tx.kybRequirement.findMany({
      where: { platformAccountId: accountId, value: { not: null } },
      select: { code: true },
    });
    change.audit({ action, target: accountId, after: { codes: sent.map(({ code }) => code).sort() } });
    return found;
  });
  return kybViewOf(context, account, { reveal: true });
}
