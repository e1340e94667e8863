import { sql } from '../../database/sql.ts';
import type { KeyContext } from '../../graph/context.ts';
import { is, oneOf } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import type { ProcessorFilters } from './inputs.ts';
import type { ProcessorRow } from './processor-rows.ts';

const processorList: ListDefinition<typeof ProcessorFilters.$inferInput> = {
  table: 'processors',
  extra: {
    columns: sql`NULL AS secrets, ARRAY(SELECT jsonb_object_keys(t.secrets) ORDER BY 1) AS "secretOptions"`,
  },
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
