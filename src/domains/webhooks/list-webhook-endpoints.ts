import type { OperatorVisibility } from '../../auth/tenancy.ts';
import { queryRow, sql } from '../../database/sql.ts';
import type { Context, KeyContext } from '../../graph/context.ts';
import { is, oneOf } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import { type EndpointHealth, healthColumn } from './endpoint-health.ts';
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

/** Filters of the operators' list. */
export interface EndpointListFilters {
  enabled?: boolean | null | undefined;
  isFailing?: boolean | null | undefined;
  platformAccountId?: string | null | undefined;
}

export type EndpointWithHealth = EndpointRow & { health: EndpointHealth };

const columnsWithHealth = sql`NULL AS secret, NULL AS "previousSecret", ${healthColumn}`;

/** One endpoint of either mode with its health, of a partner or of any; null if there is none. */
export async function findEndpointWithHealth(
  { services }: Context,
  webhookId: string,
): Promise<EndpointWithHealth | null> {
  const row = await queryRow<EndpointWithHealth>(
    services.pool,
    sql`
      SELECT t.*, ${columnsWithHealth}
      FROM webhook_endpoints t
      WHERE t.id = ${webhookId}
        AND t."deletedAt" IS NULL`,
  );
  return row ?? null;
}

/** The endpoints that are visible to an operator, each with its health. */
export function listEndpointsWithin(
  { services }: Context,
  visibility: OperatorVisibility,
  args: ListArguments<EndpointListFilters>,
): Promise<Page<EndpointWithHealth>> {
  return readList<EndpointWithHealth, EndpointListFilters>(
    services.pool,
    visibility,
    {
      ...endpointList,
      extra: { columns: columnsWithHealth },
      filters: {
        // Two texts: the plan for one value would serve the other badly.
        enabled: (wanted) => (wanted ? sql`t.enabled` : sql`NOT t.enabled`),
        isFailing: (wanted) => (wanted ? sql`t."failingSince" IS NOT NULL` : sql`t."failingSince" IS NULL`),
        platformAccountId: is('platformAccountId'),
      },
    },
    args,
  );
}
