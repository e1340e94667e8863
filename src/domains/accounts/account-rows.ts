import { sql } from '../../database/sql.ts';
import type { Prisma, ProcessingAccount, Store } from '../../generated/prisma/client.ts';
import type { PartnerKeyContext } from '../../graph/context.ts';
import { NotFound } from '../../kit/errors.ts';
import type { Write } from '../../write/write.ts';

/** An account. Its stores are included where they are part of an answer that is stored for replay. */
export type AccountRow = ProcessingAccount & { stores?: Store[] };

/** The order of an account's stores: oldest first. */
export const oldestFirst: { orderBy: Prisma.StoreOrderByWithRelationInput[] } = {
  orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
};

/** Reads an account of the partner and locks its row until the transaction ends, so that changes are serialized. */
export async function lockAccount(
  { tx }: Write,
  context: PartnerKeyContext,
  accountId: string,
): Promise<ProcessingAccount> {
  const { partnerId, mode } = context.caller;
  await tx.$queryRaw(sql`
    SELECT id
    FROM processing_accounts
    WHERE id = ${accountId} AND "partnerId" = ${partnerId} AND mode = ${mode}
    FOR NO KEY UPDATE`);
  const account = await tx.processingAccount.findFirst({ where: { id: accountId, partnerId, mode } });
  if (!account) throw noSuchAccount();
  return account;
}

/** As `lockAccount`, over the accounts of all partners. */
export async function lockAnyAccount({ tx }: Write, accountId: string): Promise<ProcessingAccount> {
  await tx.$queryRaw(sql`
    SELECT id
    FROM processing_accounts
    WHERE id = ${accountId}
    FOR NO KEY UPDATE`);
  const account = await tx.processingAccount.findUnique({ where: { id: accountId } });
  if (!account) throw noSuchAccount();
  return account;
}

export function noSuchAccount(): NotFound {
  return new NotFound('There is no such account.');
}
