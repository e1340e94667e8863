import type { Plan } from '../../auth/rate-limit.ts';
import type { ProcessingAccount } from '../../generated/prisma/client.ts';
import { type Writer, write } from '../../write/write.ts';
import { accountFields } from './account-object.ts';
import { recordAccountEvent } from './account-records.ts';
import { lockAnyAccount } from './account-rows.ts';
import type { AccountStatus } from './lifecycle.ts';

/** Sets what only an operator decides about an account: whether it can charge, and its rate limit. */
export function setAccountStatus(
  context: Writer,
  accountId: string,
  settings: { status?: AccountStatus; plan?: Plan },
): Promise<ProcessingAccount> {
  return write(context, 'setAccountStanding', async (change) => {
    const { tx, now, audit } = change;
    const before = await lockAnyAccount(change, accountId);
    const account = await tx.processingAccount.update({
      where: { id: accountId },
      data: { ...settings, sequence: { increment: 1 }, updatedAt: now },
    });
    await recordAccountEvent(change, 'account/updated', account);
    audit({
      action: 'setAccountStanding',
      target: accountId,
      before: accountFields(before),
      after: accountFields(account),
    });
    return account;
  });
}
