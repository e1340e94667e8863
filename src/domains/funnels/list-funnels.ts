import type { Visibility } from '../../auth/tenancy.ts';
import type { Funnel } from '../../generated/prisma/client.ts';
import type { Context, KeyContext } from '../../graph/context.ts';
import { is, oneOf, text } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import type { FunnelFilters } from './inputs.ts';

type Filters = typeof FunnelFilters.$inferInput;

const funnelList: ListDefinition<Filters> = {
  table: 'funnels',
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: { storeId: oneOf('storeId'), name: text('name'), isDefault: is('isDefault') },
  counted: true,
};

export function listFunnels(context: KeyContext, args: ListArguments<Filters>): Promise<Page<Funnel>> {
  return listFunnelsWithin(context, context.caller, args);
}

/** The funnels that are visible to an API key or to an operator. */
export function listFunnelsWithin(
  { services }: Context,
  visibility: Visibility,
  args: ListArguments<Filters>,
): Promise<Page<Funnel>> {
  return readList(services.pool, visibility, funnelList, args);
}
