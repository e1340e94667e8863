import type { PeopleVisibility } from '../../../auth/tenancy.ts';
import type { Context, KeyContext } from '../../../call/context.ts';
import { constant, queryRow, type Sql, sql } from '../../../database/sql.ts';
import { is, oneOf } from '../../../lists/filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../../lists/read-list.ts';
import type { WebhookEndpointFilters } from '../inputs.ts';
import type { EndpointRow } from './rows.ts';

/** The deliveries of an endpoint that are open or dead. */
interface EndpointHealth {
  open: number;
  failed: number;
  dead: number;
  /**
   * When the first of the open deliveries is due, as JSON. Deliveries on test clocks, which have other times, do not
   * count.
   */
  oldestDueAt: string | null;
}

/**
 * The maximum number of counted deliveries of one endpoint, so that a list of endpoints reads a bounded number of rows.
 */
export const healthCountMax = 1_000;

/** The column `health` of an endpoint `t`. Each part is read from an index of open or dead deliveries. */
const healthColumn: Sql = sql`(
  SELECT jsonb_build_object(
    'open', count(*),
    'failed', count(*) FILTER (WHERE d.status = 'failed'),
    'oldestDueAt', min(d."nextAttemptAt") FILTER (WHERE d."testClockId" IS NULL),
    'dead', (
      SELECT count(*)
      FROM (
        SELECT 1
        FROM webhook_deliveries x
        WHERE x."endpointId" = t.id AND x.status = 'dead'
        LIMIT ${constant(healthCountMax)}
      ) x
    )
  )
  FROM (
    SELECT o.status, o."nextAttemptAt", o."testClockId"
    FROM webhook_deliveries o
    WHERE o."endpointId" = t.id AND o."nextAttemptAt" IS NOT NULL
    ORDER BY o."nextAttemptAt", o.id
    LIMIT ${constant(healthCountMax)}
  ) d
) AS health`;

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
  visibility: PeopleVisibility,
  args: ListArguments<EndpointListFilters>,
): Promise<Page<EndpointWithHealth>> {
  return readList<EndpointWithHealth, EndpointListFilters>(
    services.pool,
    visibility,
    {
      ...endpointList,
      extra: { columns: columnsWithHealth },
      filters: {
        // Two texts, since the plan for one value would be bad for the other.
        enabled: (wanted) => (wanted ? sql`t.enabled` : sql`NOT t.enabled`),
        isFailing: (wanted) => (wanted ? sql`t."failingSince" IS NOT NULL` : sql`t."failingSince" IS NULL`),
        platformAccountId: is('platformAccountId'),
      },
    },
    args,
  );
}
