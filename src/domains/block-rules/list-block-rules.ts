import type { BlockRule } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { oneOf } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import type { BlockRuleFilters } from './inputs.ts';

const ruleList: ListDefinition<typeof BlockRuleFilters.$inferInput> = {
  table: 'block_rules',
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: { storeId: oneOf('storeId') },
  counted: true,
};

export function listBlockRules(
  context: KeyContext,
  args: ListArguments<typeof BlockRuleFilters.$inferInput>,
): Promise<Page<BlockRule>> {
  return readList(context.services.pool, context.caller, ruleList, args);
}
