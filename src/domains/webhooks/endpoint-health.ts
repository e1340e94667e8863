import { constant, type Sql, sql } from '../../database/sql.ts';

/** The deliveries of an endpoint that are open or dead. */
export interface EndpointHealth {
  open: number;
  failed: number;
  dead: number;
  /** When the first of the open deliveries is due, as JSON. Deliveries on test clocks are due in other times. */
  oldestDueAt: string | null;
}

/** More deliveries of one endpoint are not counted, so that a list of endpoints reads a bounded number of rows. */
export const healthCountMax = 1_000;

/** The column `health` of an endpoint `t`. Each part reads along an index of what is open or dead. */
export const healthColumn: Sql = sql`(
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
