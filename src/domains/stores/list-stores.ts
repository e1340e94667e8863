import type { Store } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { date, oneOf, text } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import type { StoreFilters } from './inputs.ts';

type Filters = typeof StoreFilters.$inferInput;

const storeList: ListDefinition<Filters> = {
  table: 'stores',
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: {
    name: text('name'),
    type: oneOf('type'),
    baseCurrency: oneOf('baseCurrency'),
    createdAt: date('createdAt'),
  },
  counted: true,
};

export function listStores(context: KeyContext, args: ListArguments<Filters>): Promise<Page<Store>> {
  return readList(context.services.pool, context.caller, storeList, args);
}
