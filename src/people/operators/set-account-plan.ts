import type { AccountRow } from '../../domains/accounts/public.ts';
import type { SessionContext } from '../../graph/context.ts';
import { changeAccount } from './change-account.ts';

/** Sets the plan of an account, which determines its rate limit. */
export function setAccountPlan(context: SessionContext, accountId: string, plan: string): Promise<AccountRow> {
  return changeAccount(context, 'setAccountPlan', accountId, { plan });
}
