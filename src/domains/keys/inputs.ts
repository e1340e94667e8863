import type { Visibility } from '../../auth/tenancy.ts';
import type { Context, PartnerKeyContext } from '../../call/context.ts';
import { sql } from '../../database/sql.ts';
import { builder } from '../../graph/builder.ts';
import { Mode } from '../../graph/shared-types.ts';
import { is, oneOf } from '../../lists/filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../lists/read-list.ts';
import { readAccount } from '../accounts/public.ts';
import { type KeyRow, KeyStatus } from './types.ts';

export const ApiKeyFilters = builder.inputType('ApiKeyFilters', {
  description: 'Conditions on API keys.',
  fields: (t) => ({ status: t.field({ type: [KeyStatus], description: 'Keys in any of these statuses.' }) }),
});

export const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  description: 'The sub-key to create.',
  fields: (t) => ({
    label: t.field({ type: 'Label', required: true, description: 'Your own label of the key, 1 to 100 characters.' }),
    mode: t.field({
      type: Mode,
      description:
        'Must be the mode of the API key of the request, which is the default. Another mode is refused with 403 ' +
        '`mode_escalation_forbidden`.',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'Time from which the key is refused. Must be in the future. By default the key does not expire.',
    }),
    allowedIps: t.stringList({
      description:
        'CIDR ranges from which the key can be used, such as `203.0.113.0/24`, at most 50. By default it can be used ' +
        'from any address.',
    }),
  }),
});

type KeyFilters = typeof ApiKeyFilters.$inferInput;

const keyList: ListDefinition<KeyFilters & { platformAccountId: string }> = {
  table: 'api_keys',
  // A job copies the time of last use to the key's row, so the latest one may be only in the unlogged table.
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
