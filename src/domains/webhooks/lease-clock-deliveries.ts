import { type Queryable, queryRows, type Sql, sql } from '../../database/sql.ts';
import { isNext, type LeasedDelivery, leaseDue, notLeased } from './leased-delivery.ts';

/** Leases the deliveries that are due on one test clock at a moment of its time. A lease itself is in real time. */
export function leaseDueOnClock(
  database: Queryable,
  real: Date,
  { testClockId, at }: { testClockId: string; at: Date },
  max: number,
): Promise<LeasedDelivery[]> {
  return leaseOnClocks(database, real, sql`t."testClockId" = ${testClockId} AND t."nextAttemptAt" <= ${at}`, max);
}

/**
 * Leases first attempts on test clocks that are not being advanced. An event on such a clock is sent at once; only its
 * retries wait for the clock's time.
 */
export function leaseFirstOnClocks(database: Queryable, real: Date, max: number): Promise<LeasedDelivery[]> {
  return leaseOnClocks(database, real, sql`t."failureCount" = 0 AND c.status <> 'advancing'`, max);
}

function leaseOnClocks(database: Queryable, real: Date, condition: Sql, max: number): Promise<LeasedDelivery[]> {
  return queryRows<LeasedDelivery>(
    database,
    sql`
WITH due AS MATERIALIZED (
  SELECT t.id
  FROM webhook_deliveries t
  JOIN webhook_endpoints w ON w.id = t."endpointId" AND w.enabled
  JOIN test_clocks c ON c.id = t."testClockId"
  WHERE t."testClockId" IS NOT NULL
    AND t."nextAttemptAt" IS NOT NULL
    AND ${notLeased(real)}
    AND ${condition}
    AND ${isNext(real)}
  ORDER BY t."nextAttemptAt", t.id
  LIMIT ${max}
  FOR UPDATE OF t SKIP LOCKED
)
${leaseDue(real, { onClocks: true })}`,
  );
}
