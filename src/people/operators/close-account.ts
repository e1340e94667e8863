import type { AccountRow } from '../../domains/accounts/public.ts';
import type { SessionContext } from '../../graph/context.ts';
import { changeAccount } from './change-account.ts';

/** Closes an account permanently. */
export function closeAccount(context: SessionContext, accountId: string, reason: string): Promise<AccountRow> {
  return changeAccount(context, 'closeAccount', accountId, { status: 'closed' }, reason);
}
