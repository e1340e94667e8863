import type { PartnerKeyContext } from '../../graph/context.ts';
import { write } from '../../write/write.ts';
import { accountFields } from './account-object.ts';
import { recordAccountEvent } from './account-records.ts';
import { type AccountRow, lockAccount, oldestFirst } from './account-rows.ts';
import type { UpdateAccountInput } from './inputs.ts';

export async function updateAccount(
  context: PartnerKeyContext,
  accountId: string,
  input: typeof UpdateAccountInput.$inferInput,
): Promise<AccountRow> {
  return write(context, 'updateAccount', async (change) => {
    const before = await lockAccount(change, context, accountId);
    const data = {
      ...(input.legalName != null && { legalName: input.legalName }),
      ...(input.metadata !== undefined && { metadata: input.metadata ?? {} }),
    };
    const stores = await change.tx.store.findMany({ where: { platformAccountId: before.id }, ...oldestFirst });
    if (Object.keys(data).length === 0) return { ...before, stores };
    const account = await change.tx.processingAccount.update({
      where: { id: before.id },
      data: { ...data, sequence: { increment: 1 }, updatedAt: change.now },
    });
    await recordAccountEvent(change, 'account/updated', { ...account, stores });
    change.audit({
      action: 'updateAccount',
      target: account.id,
      before: accountFields(before),
      after: accountFields(account),
    });
    return { ...account, stores };
  });
}
