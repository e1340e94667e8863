import { constant, empty, type Queryable, queryRows, type Sql, sql } from '../../../database/sql.ts';
import { leaseOver } from '../../../jobs/leases.ts';
import type { Services } from '../../../services.ts';
import { becomesDead, leaseMs, notLeased } from './rows.ts';

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

/**
 * The condition that the delivery `t` may be sent now to its endpoint `w`. On an ordered endpoint an event waits for
 * all earlier events of its object, and only one of them is in flight.
 */
function isFirstOfItsObject(real: Date): Sql {
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
function leaseDue(real: Date, { onClocks }: { onClocks: boolean }): Sql {
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
export async function releaseDelivery(
  { prisma }: Pick<Services, 'prisma'>,
  { id, leasedUntil }: LeasedDelivery,
): Promise<void> {
  await prisma.webhookDelivery.updateMany({ where: { id, leasedUntil }, data: { leasedUntil: null } });
}

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
      AND ${isFirstOfItsObject(real)}
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
 * Leases first attempts on test clocks that are not being advanced. An event on such a clock is sent immediately; only
 * its retries wait for the clock's time.
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
    AND ${isFirstOfItsObject(real)}
  ORDER BY t."nextAttemptAt", t.id
  LIMIT ${max}
  FOR UPDATE OF t SKIP LOCKED
)
${leaseDue(real, { onClocks: true })}`,
  );
}
