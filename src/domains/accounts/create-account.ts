import { assertSameMode } from '../../auth/assert-same-mode.ts';
import type { PartnerKeyContext } from '../../graph/context.ts';
import { newId } from '../../kit/ids.ts';
import { write } from '../../write/write.ts';
import { addProcessor } from '../processors/public.ts';
import { addStore } from '../stores/public.ts';
import { accountFields } from './account-object.ts';
import { recordAccountEvent } from './account-records.ts';
import { type AccountRow, oldestFirst } from './account-rows.ts';
import type { CreateAccountInput } from './inputs.ts';

/**
 * Provisions the organization, the account, its first store and, in test mode, the test processor, so that a new test
 * account can charge immediately.
 */
export function createAccount(
  context: PartnerKeyContext,
  input: typeof CreateAccountInput.$inferInput,
): Promise<AccountRow> {
  assertSameMode(context.caller, input.mode);
  const { partnerId, mode } = context.caller;
  return write(context, 'createAccount', async (change) => {
    const { tx, now } = change;
    const currency = input.currency ?? 'USD';
    const organization = {
      accountId: newId('acc_', now),
      name: input.legalName,
      kind: 'partner_managed',
      partnerId,
      createdAt: now,
    };
    const row = {
      id: newId('tpa_', now),
      partnerId,
      mode,
      accountId: organization.accountId,
      legalName: input.legalName,
      country: input.country ?? null,
      currency,
      externalRef: input.externalRef ?? null,
      status: mode === 'test' ? 'active' : 'pending_operator_assignment',
      kybStatus: 'not_started',
      metadata: input.metadata ?? {},
      sequence: 1,
      createdAt: now,
      updatedAt: now,
    };
    await tx.organization.create({ data: organization });
    const [account] = await tx.processingAccount.createManyAndReturn({ data: [row], skipDuplicates: true });
    if (!account) {
      // The externalRef is taken: the account that has it is returned, and the new organization is deleted again.
      await tx.organization.delete({ where: { accountId: organization.accountId } });
      return tx.processingAccount.findFirstOrThrow({
        where: { partnerId, mode, externalRef: input.externalRef ?? null },
        include: { stores: oldestFirst },
      });
    }
    for (const follower of context.services.followers.accounts) await follower.accountCreated(change, account);
    const store = await addStore(change, account, { name: input.legalName, baseCurrency: currency });
    if (mode === 'test')
      await addProcessor(context.services, change, account, { name: 'Test processor', type: 'test' });
    await recordAccountEvent(change, 'account/created', { ...account, stores: [store] });
    change.audit({ action: 'createAccount', target: account.id, after: accountFields(account) });
    return { ...account, stores: [store] };
  });
}
