import type { AccountRow } from '../../domains/accounts/public.ts';
import type { SessionContext } from '../../graph/context.ts';
import { changeAccount } from './change-account.ts';

/** Lets an account charge: a live account that waits for an operator, or a suspended account. */
export function activateAccount(context: SessionContext, accountId: string): Promise<AccountRow> {
  return changeAccount(context, 'activateAccount', accountId, { status: 'active' });
}
