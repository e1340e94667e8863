import type { Visibility } from '../../auth/tenancy.ts';
import { sql } from '../../database/sql.ts';
import type { Context, PartnerKeyContext } from '../../graph/context.ts';
import { is, oneOf } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import { readAccount } from '../accounts/public.ts';
import type { KeyRow } from './api-key-rows.ts';
import type { ApiKeyFilters } from './inputs.ts';

type KeyFilters = typeof ApiKeyFilters.$inferInput;

const keyList: ListDefinition<KeyFilters & { platformAccountId: string }> = {
  table: 'api_keys',
  // A job copies the time of last use to the key's row, so the latest one may be in the unlogged table only.
  extra: {
    columns: sql`NULL AS "secretHash", greatest(t."lastUsedAt", u.at) AS "lastUsedAt"`,
    joins: sql`LEFT JOIN limits.key_uses u ON u."keyId" = t.id`,
  },
  sorts: { createdAt: 'createdAt' },
  filters: { platformAccountId: is('platformAccountId'), status: oneOf('status') },
};

export async function listApiKeys(
  context: PartnerKeyContext,
  accountId: string,
  args: ListArguments<KeyFilters>,
): Promise<Page<KeyRow>> {
  await readAccount(context, accountId);
  return readList<KeyRow, KeyFilters & { platformAccountId: string }>(context.services.pool, context.caller, keyList, {
    ...args,
    filters: { ...args.filters, platformAccountId: accountId },
  });
}

/** Filters of the operators' list, which contains keys of both kinds. */
export interface KeyListFilters {
  kind?: readonly string[] | null | undefined;
  status?: readonly string[] | null | undefined;
  platformAccountId?: string | null | undefined;
}

export function listKeysWithin(
  { services }: Context,
  visibility: Visibility,
  args: ListArguments<KeyListFilters>,
): Promise<Page<KeyRow>> {
  const { platformAccountId } = keyList.filters;
  return readList<KeyRow, KeyListFilters>(
    services.pool,
    visibility,
    { ...keyList, filters: { kind: oneOf('kind'), status: oneOf('status'), platformAccountId } },
    args,
  );
}
