import type { AccountRow } from '../../domains/accounts/public.ts';
import type { SessionContext } from '../../graph/context.ts';
import { changeAccount } from './change-account.ts';

/** Stops an account from charging until it is activated again. */
export function suspendAccount(
  context: SessionContext,
  accountId: string,
  reason: string | null = null,
): Promise<AccountRow> {
  return changeAccount(context, 'suspendAccount', accountId, { status: 'suspended' }, reason);
}
