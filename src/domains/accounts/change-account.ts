import type { Plan } from '../../auth/buckets.ts';
import { assertSameMode } from '../../auth/modes.ts';
import type { PartnerContext } from '../../call/context.ts';
import type { ProcessingAccount } from '../../generated/prisma/client.ts';
import { newId } from '../../lib/ids.ts';
import { type Writer, write } from '../../unit-of-work/write.ts';
import { addProcessor } from '../processors/public.ts';
import { addStore } from '../stores/public.ts';
import {
  type AccountRow,
  type AccountStatus,
  accountFields,
  addAccount,
  lockAccount,
  lockAnyAccount,
  oldestFirst,
  recordAccountEvent,
  setAccount,
} from './account-rows.ts';
import type { CreateAccountInput, UpdateAccountInput } from './inputs.ts';
import { addRequirements } from './kyb/kyb-rows.ts';

/**
 * Provisions the organization, the account, its first store and, in test mode, the test processor, so that a new test
 * account can charge immediately.
 */
export function createAccount(
  context: PartnerContext,
  input: typeof CreateAccountInput.$inferInput,
): Promise<AccountRow> {
  assertSameMode(context.tenant, input.mode);
  const { partnerId, mode } = context.tenant;
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
    const account = await addAccount(change, row);
    if (!account) {
      // The externalRef is in use: the account that has it is returned, and the new organization is deleted again.
      await tx.organization.delete({ where: { accountId: organization.accountId } });
      return tx.processingAccount.findFirstOrThrow({
        where: { partnerId, mode, externalRef: input.externalRef ?? null },
        include: { stores: oldestFirst },
      });
    }
    await addRequirements(change, account);
    const store = await addStore(change, account, { name: input.legalName, baseCurrency: currency });
    if (mode === 'test')
      await addProcessor(context.services, change, account, { name: 'Test processor', type: 'test' });
    await recordAccountEvent(change, 'account/created', { ...account, stores: [store] });
    change.audit({ action: 'createAccount', target: account.id, after: accountFields(account) });
    return { ...account, stores: [store] };
  });
}

export async function updateAccount(
  context: PartnerContext,
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
    const account = await setAccount(change, before.id, data);
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

/** Sets the fields of an account that only an operator may set: whether it can charge, and its rate limit. */
export function setAccountStatus(
  context: Writer,
  accountId: string,
  settings: { status?: AccountStatus; plan?: Plan },
): Promise<ProcessingAccount> {
  return write(context, 'setAccountStatus', async (change) => {
    const before = await lockAnyAccount(change, accountId);
    const account = await setAccount(change, accountId, settings);
    await recordAccountEvent(change, 'account/updated', account);
    change.audit({
      action: 'setAccountStatus',
      target: accountId,
      partnerId: account.partnerId,
      before: accountFields(before),
      after: accountFields(account),
    });
    return account;
  });
}
