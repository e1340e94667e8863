import type { OperatorVisibility } from '../../auth/tenancy.ts';
import { sql } from '../../database/sql.ts';
import type { TestClock } from '../../generated/prisma/client.ts';
import type { Context, KeyContext } from '../../graph/context.ts';
import { is, oneOf } from '../../graph/list-filters.ts';
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

interface OperatorFilters {
  status?: readonly string[] | null | undefined;
  platformAccountId?: string | null | undefined;
}

const operatorClockList: ListDefinition<OperatorFilters> = {
  table: 'test_clocks',
  sorts: { createdAt: 'createdAt' },
  filters: { status: oneOf('status'), platformAccountId: is('platformAccountId') },
  counted: true,
};

/** The same list as people see it. */
export function listTestClocksWithin(
  { services }: Pick<Context, 'services'>,
  visibility: OperatorVisibility,
  args: ListArguments<OperatorFilters>,
): Promise<Page<TestClock>> {
  return readList(services.pool, visibility, operatorClockList, args);
}

export function listTestClocks(context: KeyContext, args: ListArguments<Filters>): Promise<Page<TestClock>> {
  return readList(context.services.pool, context.caller, clockList, args);
}
