import { sql } from '../../database/sql.ts';
import type { KeyContext } from '../../graph/context.ts';
import { oneOf, text } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import type { ProductFilters } from './inputs.ts';
import type { ProductRow } from './types.ts';

type Filters = typeof ProductFilters.$inferInput;

const productList: ListDefinition<Filters> = {
  table: 'products',
  extra: {
    columns: sql`p.prices`,
    joins: sql`
      LEFT JOIN LATERAL (
        SELECT json_agg(p ORDER BY p.position) AS prices
        FROM prices p
        WHERE p."productId" = t.id
      ) p ON true`,
  },
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: { name: text('name'), storeId: oneOf('storeId') },
  counted: true,
};

export function listProducts(context: KeyContext, args: ListArguments<Filters>): Promise<Page<ProductRow>> {
  return readList(context.services.pool, context.caller, productList, args);
}
