import { sql } from '../../database/sql.ts';
import type { KeyContext } from '../../graph/context.ts';
import { is, oneOf } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import type { EndpointRow } from './endpoint-rows.ts';
import type { WebhookEndpointFilters } from './inputs.ts';

type EndpointFilters = typeof WebhookEndpointFilters.$inferInput;

const endpointList: ListDefinition<EndpointFilters> = {
  table: 'webhook_endpoints',
  extra: { columns: sql`NULL AS secret, NULL AS "previousSecret"` },
  sorts: { createdAt: 'createdAt' },
  filters: { storeId: oneOf('storeId'), enabled: is('enabled') },
  always: sql`t."deletedAt" IS NULL`,
};

export function listWebhookEndpoints(
  context: KeyContext,
  args: ListArguments<EndpointFilters>,
): Promise<Page<EndpointRow>> {
  return readList(context.services.pool, context.caller, endpointList, args);
}
