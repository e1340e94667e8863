import type { OperatorVisibility } from '../../auth/tenancy.ts';
import { sql } from '../../database/sql.ts';
import type { Context, KeyContext } from '../../graph/context.ts';
import { is, oneOf } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import type { ProcessorFilters } from './inputs.ts';
import type { ProcessorRow } from './processor-rows.ts';

const extra = {
  columns: sql`NULL AS secrets, ARRAY(SELECT jsonb_object_keys(t.secrets) ORDER BY 1) AS "secretOptions"`,
};

const processorList: ListDefinition<typeof ProcessorFilters.$inferInput> = {
  table: 'processors',
  extra,
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: { type: oneOf('type'), enabled: is('enabled') },
  counted: true,
};

export function listProcessors(
  context: KeyContext,
  args: ListArguments<typeof ProcessorFilters.$inferInput>,
): Promise<Page<ProcessorRow>> {
  return readList(context.services.pool, context.caller, processorList, args);
}

interface OperatorFilters {
  id?: string | null | undefined;
  type?: readonly string[] | null | undefined;
  enabled?: boolean | null | undefined;
  platformAccountId?: string | null | undefined;
}

const operatorProcessorList: ListDefinition<OperatorFilters> = {
  table: 'processors',
  extra,
  sorts: { createdAt: 'createdAt' },
  filters: {
    id: is('id'),
    type: oneOf('type'),
    // Two texts: the plan for one value would serve the other badly.
    enabled: (wanted) => (wanted ? sql`t.enabled` : sql`NOT t.enabled`),
    platformAccountId: is('platformAccountId'),
  },
  counted: true,
};

/** The same list as people see it. */
export function listProcessorsWithin(
  { services }: Pick<Context, 'services'>,
  visibility: OperatorVisibility,
  args: ListArguments<OperatorFilters>,
): Promise<Page<ProcessorRow>> {
  return readList(services.pool, visibility, operatorProcessorList, args);
}
