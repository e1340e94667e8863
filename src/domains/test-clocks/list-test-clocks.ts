import { sql } from '../../database/sql.ts';
import type { TestClock } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { oneOf } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import type { TestClockFilters } from './inputs.ts';

type Filters = typeof TestClockFilters.$inferInput;

const clockList: ListDefinition<Filters> = {
  table: 'test_clocks',
  sorts: { createdAt: 'createdAt' },
  filters: {
    status: oneOf('status'),
    storeId: (storeIds) => sql`
      t."platformAccountId" IN (SELECT s."platformAccountId" FROM stores s WHERE s.id = ANY(${[...storeIds]}))`,
  },
  counted: true,
};

export function listTestClocks(context: KeyContext, args: ListArguments<Filters>): Promise<Page<TestClock>> {
  return readList(context.services.pool, context.caller, clockList, args);
}
