import type { Plan } from '../auth/rate-limit.ts';
import { accountTenantOf, type Reach } from '../auth/tenancy.ts';
import type { Prisma, ProcessingAccount, Store } from '../generated/prisma/client.ts';
import type { Context, KeyContext, PartnerKeyContext } from '../graph/context.ts';
import { date, is, oneOf, text } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import { NotFound } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Mode } from '../kit/mode.ts';
import type { EventDraft } from '../kit/records.ts';
import { write, type Write, type Writer } from '../kit/write.ts';
import { assertSameMode } from '../keys/operations.ts';
import { seedKybRequirements } from '../kyb/operations.ts';
import { addProcessor } from '../processors/operations.ts';
import { addStore } from '../stores/operations.ts';
import type { AccountStatus } from './lifecycle.ts';
import type { AccountFilters, CreateAccountInput, UpdateAccountInput } from './schema.ts';

/** An account, with its stores where they belong to a stored answer. */
export type AccountRow = ProcessingAccount & { stores?: Store[] };

/** One account within reach of the key, or 404. */
export async function readAccount(context: KeyContext, accountId: string): Promise<ProcessingAccount> {
  const account = await context.env.prisma.processingAccount.findFirst({
    where: { AND: [accountTenantOf(context.caller), { id: accountId }] },
  });
  if (!account) throw noSuchAccount();
  return account;
}

const accountList: ListDefinition<typeof AccountFilters.$inferInput> = {
  table: 'processing_accounts',
  accountColumn: 'id',
  sorts: { createdAt: 'createdAt', legalName: 'legalName' },
  sortsOverAll: ['legalName'],
  filters: {
    status: oneOf('status'),
    kybStatus: oneOf('kybStatus'),
    country: oneOf('country'),
    externalRef: is('externalRef'),
    createdAt: date('createdAt'),
    legalName: text('legalName'),
  },
};

export function listAccounts(
  context: PartnerKeyContext,
  args: ListArguments<typeof AccountFilters.$inferInput>,
): Promise<Page<ProcessingAccount>> {
  return listAccountsWithin(context, context.caller, args);
}

/** The same list for whoever else looks at accounts. */
export function listAccountsWithin(
  { env }: Context,
  reach: Reach,
  args: ListArguments<typeof AccountFilters.$inferInput>,
): Promise<Page<ProcessingAccount>> {
  return readList(env.pool, reach, accountList, args);
}

const awaitingReview: ListDefinition<Record<string, never>> = {
  table: 'processing_accounts',
  accountColumn: 'id',
  sorts: { submittedAt: 'kybSubmittedAt' },
  filters: {},
  always: () => `t."kybStatus" = 'submitted' AND t.status <> 'closed'`,
};

/** The accounts whose KYB waits for a reviewer, the one that waits longest first. */
export function accountsAwaitingReview(
  { env }: Context,
  reach: Reach,
  args: ListArguments<Record<string, never>>,
): Promise<Page<ProcessingAccount>> {
  return readList(env.pool, reach, awaitingReview, { ...args, sortBy: { field: 'submittedAt', direction: 'asc' } });
}

/** Provisions organization, account, first store and, in test mode, the test processor: a fresh test account can charge at once. */
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
      accountId: newId('organization', now),
      name: input.legalName,
      kind: 'partner_managed',
      partnerId,
      createdAt: now,
    };
    const row = {
      id: newId('account', now),
      partnerId,
      mode,
      accountId: organization.accountId,
      legalName: input.legalName,
      country: input.country ?? null,
      currency,
      externalRef: input.externalRef ?? null,
      status: mode === 'test' ? 'active' : 'pending_operator_assignment',
      kybStatus: 'not_started',
      metadata: (input.metadata ?? {}) as Prisma.InputJsonObject, // the scalar has checked that it is plain JSON
      sequence: 1,
      createdAt: now,
      updatedAt: now,
    };
    await tx.organization.create({ data: organization });
    const [account] = await tx.processingAccount.createManyAndReturn({ data: [row], skipDuplicates: true });
    if (!account) {
      // The externalRef is taken: the account that has it is the answer, and the organization made for a new one goes again.
      await tx.organization.delete({ where: { accountId: organization.accountId } });
      return tx.processingAccount.findFirstOrThrow({
        where: { partnerId, mode, externalRef: input.externalRef ?? null },
        include: { stores: oldestFirst },
      });
    }
    await seedKybRequirements(change, account);
    const store = await addStore(change, account, { name: input.legalName, baseCurrency: currency });
    if (mode === 'test') await addProcessor(context.env, change, account, { name: 'Test processor', type: 'test' });
    change.event(accountEvent('account/created', account));
    change.audit({ action: 'createAccount', target: account.id, after: accountObject(account) });
    return { ...account, stores: [store] };
  });
}

export async function updateAccount(
  context: PartnerKeyContext,
  accountId: string,
  input: typeof UpdateAccountInput.$inferInput,
): Promise<AccountRow> {
  return write(context, 'updateAccount', async (change) => {
    const before = await lockAccount(change, context, accountId);
    const data = {
      ...(input.legalName != null && { legalName: input.legalName }),
      ...(input.metadata !== undefined && { metadata: (input.metadata ?? {}) as Prisma.InputJsonObject }), // checked by the scalar
    };
    const stores = await change.tx.store.findMany({ where: { platformAccountId: before.id }, ...oldestFirst });
    if (Object.keys(data).length === 0) return { ...before, stores };
    const account = await change.tx.processingAccount.update({
      where: { id: before.id },
      data: { ...data, sequence: { increment: 1 }, updatedAt: change.now },
    });
    change.event(accountEvent('account/updated', account));
    change.audit({
      action: 'updateAccount',
      target: account.id,
      before: accountObject(before),
      after: accountObject(account),
    });
    return { ...account, stores };
  });
}

const oldestFirst: { orderBy: Prisma.StoreOrderByWithRelationInput[] } = {
  orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
};

/** What only an operator decides about an account: whether it can charge, and its rate limit. */
export function setAccountStanding(
  context: Writer,
  accountId: string,
  standing: { status?: AccountStatus; plan?: Plan },
): Promise<ProcessingAccount> {
  return write(context, 'setAccountStanding', async (change) => {
    const { tx, now, event, audit } = change;
    const before = await lockAnyAccount(change, accountId);
    const account = await tx.processingAccount.update({
      where: { id: accountId },
      data: { ...standing, sequence: { increment: 1 }, updatedAt: now },
    });
    event(accountEvent('account/updated', account));
    audit({
      action: 'setAccountStanding',
      target: accountId,
      before: accountObject(before),
      after: accountObject(account),
    });
    return account;
  });
}

/** The account's row, locked until the transaction ends, so that changes to it follow one another. */
export async function lockAccount(
  { tx }: Write,
  context: PartnerKeyContext,
  accountId: string,
): Promise<ProcessingAccount> {
  const { partnerId, mode } = context.caller;
  await tx.$queryRaw`SELECT id FROM processing_accounts WHERE id = ${accountId} AND "partnerId" = ${partnerId} AND mode = ${mode} FOR UPDATE`;
  const account = await tx.processingAccount.findFirst({ where: { id: accountId, partnerId, mode } });
  if (!account) throw noSuchAccount();
  return account;
}

/** The same for those who look after every account. */
export async function lockAnyAccount({ tx }: Write, accountId: string): Promise<ProcessingAccount> {
  await tx.$queryRaw`SELECT id FROM processing_accounts WHERE id = ${accountId} FOR UPDATE`;
  const account = await tx.processingAccount.findUnique({ where: { id: accountId } });
  if (!account) throw noSuchAccount();
  return account;
}

export function accountEvent(type: 'account/created' | 'account/updated', account: ProcessingAccount): EventDraft {
  return eventOf(type, account, accountObject(account));
}

/** What tells of an account's KYB: the account with its requirements, never what was sent for them. */
export function kybEvent(account: ProcessingAccount, object: object): EventDraft {
  return eventOf('account/kybUpdated', account, object);
}

function eventOf(
  type: EventDraft['type'],
  { id, partnerId, mode, sequence }: ProcessingAccount,
  object: object,
): EventDraft {
  return { type, partnerId, platformAccountId: id, mode: mode as Mode, storeId: null, objectId: id, sequence, object }; // a CHECK constraint holds mode to the two
}

/** The account as events and audit rows show it. */
export function accountObject({
  mode,
  sequence: _sequence,
  kybSubmittedAt: _kybSubmittedAt,
  ...account
}: ProcessingAccount): object {
  return { ...account, livemode: mode === 'live' };
}

export function noSuchAccount(): NotFound {
  return new NotFound('There is no such account.');
}
