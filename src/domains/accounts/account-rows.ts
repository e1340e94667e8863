import { requireRow } from '../../auth/visible.ts';
import type { PartnerContext } from '../../call/context.ts';
import { lockRow } from '../../database/lock-row.ts';
import { sql } from '../../database/sql.ts';
import type { Prisma, ProcessingAccount, Store } from '../../generated/prisma/client.ts';
import type { Mode } from '../../lib/ids.ts';
import type { EventDraft } from '../../unit-of-work/records.ts';
import type { Write } from '../../unit-of-work/write.ts';

/** An account. Its stores are included where they are part of a stored answer. */
export type AccountRow = ProcessingAccount & { stores?: Store[] };

/** The order of an account's stores: oldest first. */
export const oldestFirst: { orderBy: Prisma.StoreOrderByWithRelationInput[] } = {
  orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
};

/** Reads an account of the partner and locks its row until the transaction ends, so that changes are serialized. */
export async function lockAccount(
  { tx }: Write,
  context: PartnerContext,
  accountId: string,
): Promise<ProcessingAccount> {
  const { partnerId, mode } = context.tenant;
  await tx.$queryRaw(sql`
    SELECT id
    FROM processing_accounts
    WHERE id = ${accountId} AND "partnerId" = ${partnerId} AND mode = ${mode}
    FOR NO KEY UPDATE`);
  return requireRow(tx, 'processingAccount', { id: accountId, partnerId, mode });
}

/** As `lockAccount`, over the accounts of all partners. */
export async function lockAnyAccount({ tx }: Write, accountId: string): Promise<ProcessingAccount> {
  await lockRow(tx, 'processing_accounts', accountId);
  return requireRow(tx, 'processingAccount', { id: accountId });
}

/** An account without its stores, as audit rows contain it. */
export interface AccountFields {
  id: string;
  organizationAccountId: string;
  partnerId: string;
  legalName: string;
  country: string | null;
  currency: string;
  externalRef: string | null;
  status: string;
  kybStatus: string;
  plan: string;
  livemode: boolean;
  metadata: unknown;
  createdAt: Date;
  updatedAt: Date;
}

/** An account as the API returns it (rest/public/accounts.graphql). */
interface AccountObject extends AccountFields {
  stores: AccountStore[];
}

/** A store in the answer of its account. */
interface AccountStore {
  id: string;
  name: string;
  type: string;
  baseCurrency: string;
}

/** `stores` are those of the account, oldest first. */
function accountObject(account: ProcessingAccount, stores: readonly Store[]): AccountObject {
  return {
    ...accountFields(account),
    stores: stores.map(({ id, name, type, baseCurrency }) => ({ id, name, type, baseCurrency })),
  };
}

export function accountFields(account: ProcessingAccount): AccountFields {
  return {
    id: account.id,
    organizationAccountId: account.accountId,
    partnerId: account.partnerId,
    legalName: account.legalName,
    country: account.country,
    currency: account.currency,
    externalRef: account.externalRef,
    status: account.status,
    kybStatus: account.kybStatus,
    plan: account.plan,
    livemode: account.mode === 'live',
    metadata: account.metadata,
    createdAt: account.createdAt,
    updatedAt: account.updatedAt,
  };
}

/** Adds the event of an account, with the account and its stores as the API returns them. */
export async function recordAccountEvent(
  { tx, event }: Pick<Write, 'tx' | 'event'>,
  type: 'account/created' | 'account/updated',
  account: AccountRow,
): Promise<void> {
  const stores =
    account.stores ?? (await tx.store.findMany({ where: { platformAccountId: account.id }, ...oldestFirst }));
  event(eventOf(type, account, accountObject(account, stores)));
}

/** The event of a change of KYB, with the KYB as the API returns it, without the submitted values. */
export function kybEvent(account: ProcessingAccount, object: object): EventDraft {
  return eventOf('account/kybUpdated', account, object);
}

function eventOf(
  type: EventDraft['type'],
  { id, partnerId, mode, sequence }: ProcessingAccount,
  object: object,
): EventDraft {
  // a CHECK constraint limits mode to the two values
  return { type, partnerId, platformAccountId: id, mode: mode as Mode, storeId: null, objectId: id, sequence, object };
}

/** The states of an account and of its KYB (docs/contract/18-kyb.md). */
export const accountStatuses = ['pending_operator_assignment', 'active', 'suspended', 'closed'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

/** The statuses that may follow each status. `closed` is final. */
export const accountTransitions: Readonly<Record<AccountStatus, readonly AccountStatus[]>> = {
  pending_operator_assignment: ['active', 'closed'],
  active: ['suspended', 'closed'],
  suspended: ['active', 'closed'],
  closed: [],
};

export const kybStatuses = ['not_started', 'in_progress', 'submitted', 'approved', 'rejected'] as const;
export type KybStatus = (typeof kybStatuses)[number];

/** Adds an account, unless the partner has one with its `externalRef`. */
export async function addAccount(
  { tx }: Pick<Write, 'tx'>,
  row: Prisma.ProcessingAccountCreateManyInput,
): Promise<ProcessingAccount | undefined> {
  return (await tx.processingAccount.createManyAndReturn({ data: [row], skipDuplicates: true }))[0];
}

export function setAccount(
  { tx, now }: Pick<Write, 'tx' | 'now'>,
  id: string,
  data: Prisma.ProcessingAccountUncheckedUpdateInput,
): Promise<ProcessingAccount> {
  return tx.processingAccount.update({
    where: { id },
    data: { ...data, sequence: { increment: 1 }, updatedAt: now },
  });
}
