import type { Visibility } from '../../auth/tenancy.ts';
import type { ProcessingAccount } from '../../generated/prisma/client.ts';
import type { Context, PartnerKeyContext } from '../../graph/context.ts';
import { date, is, oneOf, text } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import type { AccountFilters } from './inputs.ts';

export const accountList: ListDefinition<typeof AccountFilters.$inferInput> = {
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

/** The same list for any visibility, such as an operator's. */
export function listAccountsWithin(
  { services }: Context,
  visibility: Visibility,
  args: ListArguments<typeof AccountFilters.$inferInput>,
): Promise<Page<ProcessingAccount>> {
  return readList(services.pool, visibility, accountList, args);
}
