import { sql } from '../../database/sql.ts';
import type { KeyContext } from '../../graph/context.ts';
import { oneOf } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import type { FlowRow } from './flow-rows.ts';
import type { PaymentFlowFilters } from './inputs.ts';

const routeColumns = sql`coalesce(r.processors, '[]') AS processors, coalesce(r.fallbacks, '[]') AS fallbacks`;

const routeJoins = sql`
  LEFT JOIN LATERAL (
    SELECT
      jsonb_agg(
        jsonb_build_object('processorId', r."processorId", 'weight', r.weight) ORDER BY r.position, r."processorId"
      ) FILTER (WHERE r.kind = 'weighted') AS processors,
      jsonb_agg(
        jsonb_build_object('processorId', r."processorId", 'order', r.position) ORDER BY r.position, r."processorId"
      ) FILTER (WHERE r.kind = 'fallback') AS fallbacks
    FROM payment_flow_routes r
    WHERE r."flowId" = t.id
  ) r ON true`;

const flowList: ListDefinition<typeof PaymentFlowFilters.$inferInput> = {
  table: 'payment_flows',
  extra: { columns: routeColumns, joins: routeJoins },
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: { strategy: oneOf('strategy') },
  counted: true,
};

export function listPaymentFlows(
  context: KeyContext,
  args: ListArguments<typeof PaymentFlowFilters.$inferInput>,
): Promise<Page<FlowRow>> {
  return readList(context.services.pool, context.caller, flowList, args);
}
