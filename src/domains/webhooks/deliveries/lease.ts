import { constant, empty, type Queryable, queryRows, type Sql, sql } from '../../../database/sql.ts';
import { leaseOver } from '../../../jobs/leases.ts';
import type { Services } from '../../../services.ts';
import { becomesDead, leaseMs, notLeased } from './rows.ts';

/** A delivery that this process has leased, with everything needed to send it. */
export interface LeasedDelivery {
  id: string;
  endpointId: string;
  /** The account of its endpoint, or the partner if the endpoint is for all accounts. */
  ownerId: string;
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
  t.id, t."endpointId", coalesce(w."platformAccountId", w."partnerId") AS "ownerId", t."eventId", t."eventType",
  t."attemptCount", t."failureCount", t."createdAt", t."leasedUntil", t."testBody", t."testClockId", to_jsonb(e) AS event, w.url, w.secret, w."previousSecret", w."previousSecretUntil",
  w."leftUnanswered", ${onClocks ? sql`c.now` : sql`NULL::timestamptz`} AS "testClockNow"`;
}

/** Returns a delivery unsent, or sent with an unknown outcome. The process that leases it next sends it. */
export async function releaseDelivery(
  { prisma }: Pick<Services, 'prisma'>,
  { id, leasedUntil }: LeasedDelivery,
): Promise<void> {
  await prisma.webhookDelivery.updateMany({ where: { id, leasedUntil }, data: { leasedUntil: null } });
}

/** Deliveries that one process has in flight, over all endpoints. */
export const inFlightMax = 300;
/** Of these, deliveries of one account or to one partner's own endpoints, of one partner, each in a mode; of test mode. */
const ofOwnerMax = 75;
const ofPartnerMax = 200;
const ofTestMax = 225;
/** And to one endpoint; fewer while it fails. */
const ofEndpointMax = 10;
const ofFailingEndpointMax = 2;

/**
 * Leases the deliveries that are due in real time, at most `free` of them. Endpoints, accounts, partners and test mode
 * have their own limits, and those with the fewest in flight come first, so that a long queue or slow receivers never
 * delay the deliveries of others. Rows that another process is leasing at this moment are skipped. `inFlight` is the
 * number of deliveries this process has in flight by endpoint.
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
in_flight AS (
  SELECT *
  FROM unnest((SELECT ${[...inFlight.keys()]}::text[]), (SELECT ${[...inFlight.values()]}::int[])) AS f(id, n)
),
-- Rows without an id are those in flight: they are counted before the others.
busy AS MATERIALIZED (
  SELECT
    NULL AS id, '-infinity'::timestamptz AS at, coalesce(w."platformAccountId", w."partnerId" || w.mode) AS owner,
    w."partnerId" || w.mode AS partner, w.mode
  FROM in_flight
  JOIN webhook_endpoints w ON w.id = in_flight.id
  CROSS JOIN generate_series(1, in_flight.n)
),
candidates AS (
  SELECT *
  FROM busy
  UNION ALL
  SELECT d.id, d."nextAttemptAt", coalesce(w."platformAccountId", w."partnerId" || w.mode), w."partnerId" || w.mode, w.mode
  FROM open
  JOIN webhook_endpoints w ON w.id = open.id AND w.enabled
  LEFT JOIN in_flight ON in_flight.id = w.id
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
      WHEN w."failingSince" IS NULL THEN ${constant(ofEndpointMax)}
      ELSE ${constant(ofFailingEndpointMax)}
    END - coalesce(in_flight.n, 0))
    FOR UPDATE OF t SKIP LOCKED
  ) d
  -- Those who have enough in flight lock no rows.
  WHERE (SELECT count(*) FROM busy b WHERE b.owner = coalesce(w."platformAccountId", w."partnerId" || w.mode))
      < ${constant(ofOwnerMax)}
    AND (SELECT count(*) FROM busy b WHERE b.partner = w."partnerId" || w.mode) < ${constant(ofPartnerMax)}
    AND (w.mode = 'live' OR (SELECT count(*) FROM busy b WHERE b.mode = w.mode) < ${constant(ofTestMax)})
),
of_owners AS (
  SELECT *, row_number() OVER (PARTITION BY owner ORDER BY at) AS of_owner
  FROM candidates
),
of_partners AS (
  SELECT *, row_number() OVER (PARTITION BY partner ORDER BY id IS NOT NULL, of_owner, at) AS of_partner
  FROM of_owners
  WHERE of_owner <= ${constant(ofOwnerMax)}
),
of_modes AS (
  SELECT *, row_number() OVER (PARTITION BY mode ORDER BY id IS NOT NULL, of_partner, at) AS of_mode
  FROM of_partners
  WHERE of_partner <= ${constant(ofPartnerMax)}
),
due AS MATERIALIZED (
  SELECT id
  FROM of_modes
  WHERE id IS NOT NULL AND (mode = 'live' OR of_mode <= ${constant(ofTestMax)})
  ORDER BY of_partner, of_owner, at
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
 * Leases first attempts on test clocks that are not being advanced, none of the owners who have enough in flight. An
 * event on such a clock is sent immediately; only its retries wait for the clock's time.
 */
export function leaseFirstOnClocks(
  database: Queryable,
  real: Date,
  max: number,
  fullOwners: readonly string[],
): Promise<LeasedDelivery[]> {
  const isDue = sql`t."failureCount" = 0 AND c.status <> 'advancing'
    AND coalesce(w."platformAccountId", w."partnerId") <> ALL(${fullOwners}::text[])`;
  return leaseOnClocks(database, real, isDue, max);
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
