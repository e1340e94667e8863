import { leaseOver } from '../../database/leases.ts';
import { empty, execute, type Queryable, type Sql, sql } from '../../database/sql.ts';

/** A delivery that this process has leased, with everything needed to send it. */
export interface LeasedDelivery {
  id: string;
  endpointId: string;
  eventId: string;
  eventType: string;
  attemptCount: number;
  failureCount: number;
  createdAt: Date;
  leasedUntil: Date;
  testBody: object | null;
  event: EventRow | null;
  url: string;
  secret: string;
  previousSecret: string | null;
  previousSecretUntil: Date | null;
  /** Whether the last attempt at its endpoint timed out. */
  leftUnanswered: boolean;
  testClockId: string | null;
  /** The time of that clock. */
  testClockNow: Date | null;
}

/** A row of `events` as JSON: its timestamp is a string. */
export interface EventRow {
  id: string;
  type: string;
  mode: string;
  platformAccountId: string;
  storeId: string | null;
  sequence: number;
  requestId: string;
  data: { object: unknown };
  createdAt: string;
}

/** Longer than any attempt takes. When a process dies, its deliveries become free again after this time. */
const leaseMs = 30_000;

/** The condition that no process has leased the delivery `t` at the moment `real`. */
export function notLeased(real: Date): Sql {
  return leaseOver(sql`t."leasedUntil"`, real, leaseMs);
}

/**
 * The condition that the delivery `t` may be sent now to its endpoint `w`. On an ordered endpoint an event waits for
 * all earlier events of its object, and only one of them is in flight.
 */
export function isNext(real: Date): Sql {
  return sql`(NOT w.ordered OR NOT EXISTS (
    SELECT 1
    FROM webhook_deliveries o
    WHERE o."endpointId" = t."endpointId"
      AND o."objectId" = t."objectId"
      AND o."nextAttemptAt" IS NOT NULL
      AND (o.sequence < t.sequence OR NOT ${leaseOver(sql`o."leasedUntil"`, real, leaseMs)})
  ))`;
}

/** Leases the deliveries of the part `due` and returns them as `LeasedDelivery`. */
export function leaseDue(real: Date, { onClocks }: { onClocks: boolean }): Sql {
  return sql`
UPDATE webhook_deliveries t
SET "leasedUntil" = ${new Date(real.getTime() + leaseMs)}
FROM due
JOIN webhook_deliveries d ON d.id = due.id
JOIN webhook_endpoints w ON w.id = d."endpointId"
LEFT JOIN events e ON e.id = d."eventId"
${onClocks ? sql`LEFT JOIN test_clocks c ON c.id = d."testClockId"` : empty}
WHERE t.id = due.id
RETURNING
  t.id, t."endpointId", t."eventId", t."eventType", t."attemptCount", t."failureCount", t."createdAt", t."leasedUntil",
  t."testBody", t."testClockId", to_jsonb(e) AS event, w.url, w.secret, w."previousSecret", w."previousSecretUntil",
  w."leftUnanswered", ${onClocks ? sql`c.now` : sql`NULL::timestamptz`} AS "testClockNow"`;
}

/** Returns a delivery unsent, or sent with an unknown outcome. The process that leases it next sends it. */
export async function releaseDelivery(database: Queryable, leased: LeasedDelivery): Promise<void> {
  await execute(
    database,
    sql`
UPDATE webhook_deliveries
SET "leasedUntil" = NULL
WHERE id = ${leased.id} AND "leasedUntil" = ${leased.leasedUntil}`,
  );
}
