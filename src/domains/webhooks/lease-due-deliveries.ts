import { constant, type Queryable, queryRows, sql } from '../../database/sql.ts';
import { becomesDead } from './dead-deliveries.ts';
import { isNext, type LeasedDelivery, leaseDue, notLeased } from './leased-delivery.ts';

/** Deliveries that one process has in flight to one endpoint; fewer while the endpoint fails. */
const inFlightMax = 10;
const inFlightFailingMax = 2;

/**
 * Leases the deliveries that are due in real time, at most `free` of them. Each endpoint has its own limit, so that a
 * long queue or a slow receiver never delays another endpoint. Rows that another process is leasing at this moment are
 * skipped. `inFlight` is the number of deliveries this process has in flight by endpoint.
 */
export function leaseDueDeliveries(
  database: Queryable,
  real: Date,
  free: number,
  inFlight: ReadonlyMap<string, number>,
): Promise<LeasedDelivery[]> {
  return queryRows<LeasedDelivery>(
    database,
    sql`
WITH RECURSIVE open(id) AS (
  (
    SELECT "endpointId"
    FROM webhook_deliveries
    WHERE "nextAttemptAt" IS NOT NULL
    ORDER BY "endpointId"
    LIMIT 1
  )
  UNION ALL
  SELECT (
    SELECT d."endpointId"
    FROM webhook_deliveries d
    WHERE d."nextAttemptAt" IS NOT NULL AND d."endpointId" > open.id
    ORDER BY d."endpointId"
    LIMIT 1
  )
  FROM open
  WHERE open.id IS NOT NULL
),
-- An endpoint may be disabled while an event for it is being committed.
marked_dead AS (
  UPDATE webhook_deliveries t
  SET ${becomesDead}
  FROM open
  JOIN webhook_endpoints w ON w.id = open.id AND NOT w.enabled
  WHERE t."endpointId" = w.id AND t."nextAttemptAt" IS NOT NULL AND ${notLeased(real)}
),
due AS MATERIALIZED (
  SELECT d.id
  FROM open
  JOIN webhook_endpoints w ON w.id = open.id AND w.enabled
  LEFT JOIN unnest(
    (SELECT ${[...inFlight.keys()]}::text[]),
    (SELECT ${[...inFlight.values()]}::int[])
  ) AS in_flight(id, n) ON in_flight.id = w.id
  CROSS JOIN LATERAL (
    SELECT t.id, t."nextAttemptAt"
    FROM webhook_deliveries t
    WHERE t."endpointId" = w.id
      AND t."nextAttemptAt" <= ${real}
      AND t."testClockId" IS NULL
      AND ${notLeased(real)}
      AND ${isNext(real)}
    ORDER BY t."nextAttemptAt", t.id
    LIMIT greatest(0, CASE
      WHEN w."failingSince" IS NULL THEN ${constant(inFlightMax)}
      ELSE ${constant(inFlightFailingMax)}
    END - coalesce(in_flight.n, 0))
    FOR UPDATE OF t SKIP LOCKED
  ) d
  ORDER BY d."nextAttemptAt"
  LIMIT ${free}
)
${leaseDue(real, { onClocks: false })}`,
  );
}
