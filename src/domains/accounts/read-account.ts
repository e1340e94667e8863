import { accountTenantOf } from '../../auth/tenancy.ts';
import type { ProcessingAccount } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { noSuchAccount } from './account-rows.ts';

/** Reads one account that is visible to the key; 404 otherwise. */
export async function readAccount(context: KeyContext, accountId: string): Promise<ProcessingAccount> {
  const account = await context.services.prisma.processingAccount.findFirst({
    where: { AND: [accountTenantOf(context.caller), { id: accountId }] },
  });
  if (!account) throw noSuchAccount();
  return account;
}
