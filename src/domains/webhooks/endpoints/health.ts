import { constant, sql } from '../../../database/sql.ts';
import type { Link } from '../../../graph/linked-rows.ts';

/** The deliveries of an endpoint that are open or dead. */
export interface EndpointHealth {
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

/** The health of endpoints. Each part is read from an index of open or dead deliveries. */
const healthColumn = sql`(
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

export const healthOfEndpoints: Link = {
  name: 'health of endpoints',
  statement: (ids) => sql`
    SELECT t.id AS "linkedTo", ${healthColumn}
    FROM webhook_endpoints t
    WHERE t.id = ANY(${[...ids]})`,
};
