import type pg from 'pg';
import { failingMaxMs } from './schedule.ts';

/** A delivery that this process has taken, with all that is needed to send it. */
export interface TakenDelivery {
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
  /** Whether the last attempt at its endpoint ran out of time. */
  leftUnanswered: boolean;
  testClockId: string | null;
  /** What time it is on that clock. */
  testClockNow: Date | null;
}

/** As the row is, timestamps written out. */
export interface EventRow {
  id: string;
  type: string;
  mode: string;
  platformAccountId: string;
  storeId: string | null;
  sequence: number;
  requestId: string;
  data: object;
  createdAt: string;
}

export interface Attempt {
  at: Date;
  status: number | null;
  durationMs: number;
  responseBody: string | null;
  error: string | null;
  timedOut: boolean;
}

/** What one endpoint may have in flight from one process; less while it fails, so that those who do not answer hold few places. */
const inFlightMax = 10;
const inFlightFailingMax = 2;
/** Long enough for any attempt to end; what a process that died had taken is free again after it. */
export const leaseMs = 30_000;

/**
 * Takes what is due, at most `free` deliveries. Endpoints are gone through one by one, each with its own bound, so that a long
 * line at one is never in the way of another. Rows another process is taking at this moment are skipped. `inFlight` says what
 * this process has under way by endpoint. On an ordered endpoint an event waits for all earlier ones of its object.
 */
export async function takeDueDeliveries(
  pool: pg.Pool,
  now: Date,
  free: number,
  inFlight: ReadonlyMap<string, number>,
): Promise<TakenDelivery[]> {
  const values = [now, new Date(now.getTime() + leaseMs), free, [...inFlight.keys()], [...inFlight.values()]];
  const { rows } = await pool.query<TakenDelivery>({ name: 'take-due-webhooks', text: takeDue, values });
  return rows;
}

export const notLeased = (alias: string) => `(${alias}."leasedUntil" IS NULL OR ${alias}."leasedUntil" <= $1)`;
const dead = `status = 'dead', "nextAttemptAt" = NULL, "leasedUntil" = NULL`;

/** On an ordered endpoint an event waits for all earlier ones of its object, and none is sent beside another. */
export const isNext = `(NOT w.ordered OR NOT EXISTS (SELECT 1 FROM webhook_deliveries o WHERE o."endpointId" = t."endpointId" AND o."objectId" = t."objectId" AND o."nextAttemptAt" IS NOT NULL
  AND (o.sequence < t.sequence OR o."leasedUntil" > $1)))`;

/** All that is needed to send it. */
export const takenColumns = `t.id, t."endpointId", t."eventId", t."eventType", t."attemptCount", t."failureCount", t."createdAt", t."leasedUntil", t."testBody", t."testClockId", to_jsonb(e) AS event, w.url, w.secret, w."previousSecret", w."previousSecretUntil", w."leftUnanswered"`;

const takeDue = `WITH RECURSIVE open(id) AS (
  (SELECT "endpointId" FROM webhook_deliveries WHERE "nextAttemptAt" IS NOT NULL ORDER BY "endpointId" LIMIT 1)
  UNION ALL
  SELECT (SELECT d."endpointId" FROM webhook_deliveries d WHERE d."nextAttemptAt" IS NOT NULL AND d."endpointId" > open.id ORDER BY d."endpointId" LIMIT 1) FROM open WHERE open.id IS NOT NULL
),
-- An endpoint may be disabled while an event for it is being committed.
buried AS (UPDATE webhook_deliveries t SET ${dead} FROM open JOIN webhook_endpoints w ON w.id = open.id AND NOT w.enabled
  WHERE t."endpointId" = w.id AND t."nextAttemptAt" IS NOT NULL AND ${notLeased('t')}),
due AS MATERIALIZED (
  SELECT d.id FROM open JOIN webhook_endpoints w ON w.id = open.id AND w.enabled
  LEFT JOIN unnest($4::text[], $5::int[]) AS flying(id, n) ON flying.id = w.id
  CROSS JOIN LATERAL (
    SELECT t.id, t."nextAttemptAt" FROM webhook_deliveries t
    WHERE t."endpointId" = w.id AND t."nextAttemptAt" <= $1 AND t."testClockId" IS NULL AND ${notLeased('t')} AND ${isNext}
    ORDER BY t."nextAttemptAt", t.id
    LIMIT greatest(0, CASE WHEN w."failingSince" IS NULL THEN ${inFlightMax} ELSE ${inFlightFailingMax} END - coalesce(flying.n, 0)) FOR UPDATE OF t SKIP LOCKED
  ) d
  ORDER BY d."nextAttemptAt" LIMIT $3
)
UPDATE webhook_deliveries t SET "leasedUntil" = $2 FROM due JOIN webhook_deliveries d ON d.id = due.id JOIN webhook_endpoints w ON w.id = d."endpointId" LEFT JOIN events e ON e.id = d."eventId"
WHERE t.id = due.id
RETURNING ${takenColumns}, NULL::timestamptz AS "testClockNow"`;

/** Writes down an attempt and what follows from it, unless the delivery has been taken by another meanwhile: then what that one does counts. */
export async function commitDelivered(pool: pg.Pool, taken: TakenDelivery, attempt: Attempt): Promise<void> {
  const text = `WITH settled AS (UPDATE webhook_deliveries SET status = 'delivered', "nextAttemptAt" = NULL, "leasedUntil" = NULL, "attemptCount" = "attemptCount" + 1, "failureCount" = 0 ${ifTaken}),
${attempted},
recovered AS (UPDATE webhook_endpoints w SET "failingSince" = NULL, "failingClockId" = NULL, "leftUnanswered" = $8 FROM settled WHERE w.id = settled."endpointId" AND (w."failingSince" IS NOT NULL OR w."leftUnanswered" <> $8))
SELECT 1 FROM settled`;
  await pool.query({ name: 'webhook-delivered', text, values: [...attemptValues(taken, attempt), attempt.timedOut] });
}

/** The same for a failure. `next` is null when it was the last of the schedule, or the receiver is gone. Tells whether the endpoint was disabled by it. */
export async function commitFailed(
  pool: pg.Pool,
  taken: TakenDelivery,
  attempt: Attempt,
  next: Date | null,
  gone: boolean,
): Promise<'gone' | 'failing' | null> {
  const text = `WITH settled AS (UPDATE webhook_deliveries SET status = CASE WHEN $8::timestamptz IS NULL THEN 'dead' ELSE 'failed' END, "nextAttemptAt" = $8, "leasedUntil" = NULL,
  "attemptCount" = "attemptCount" + 1, "failureCount" = "failureCount" + 1 ${ifTaken}),
${attempted},
failing AS (UPDATE webhook_endpoints w SET "failingSince" = CASE WHEN ${sameTime} THEN coalesce(w."failingSince", $3) ELSE $3 END, "failingClockId" = $11, "leftUnanswered" = $12, enabled = NOT ${ends},
  "disabledReason" = CASE WHEN NOT ${ends} THEN NULL WHEN $9 THEN 'gone' ELSE 'failing' END, "updatedAt" = CASE WHEN ${ends} THEN $3 ELSE w."updatedAt" END
  FROM settled WHERE w.id = settled."endpointId" AND w.enabled AND (w."failingSince" IS NULL OR NOT ${sameTime} OR ${ends} OR w."leftUnanswered" <> $12::boolean) RETURNING w."disabledReason")
SELECT "disabledReason" FROM failing`;
  const values = [
    ...attemptValues(taken, attempt),
    next,
    gone,
    new Date(attempt.at.getTime() - failingMaxMs),
    taken.testClockId,
    attempt.timedOut,
  ];
  const { rows } = await pool.query<{ disabledReason: 'gone' | 'failing' | null }>({
    name: 'webhook-failed',
    text,
    values,
  });
  return rows[0]?.disabledReason ?? null;
}

/** The five days are told by one time: a failure on a test clock says nothing about how long a receiver has been failing in another time. */
const sameTime = `(w."failingClockId" IS NOT DISTINCT FROM $11::text)`;
/** Whether this failure disables the endpoint. */
const ends = `($9::boolean OR (${sameTime} AND coalesce(w."failingSince", $3) <= $10::timestamptz))`;
const ifTaken = `WHERE id = $1 AND "leasedUntil" = $2 RETURNING id, "endpointId", "attemptCount"`;
const attempted = `attempted AS (INSERT INTO webhook_attempts ("deliveryId", number, at, status, "durationMs", "responseBody", error) SELECT id, "attemptCount", $3::timestamptz, $4, $5, $6, $7 FROM settled)`;

function attemptValues(taken: TakenDelivery, { at, status, durationMs, responseBody, error }: Attempt): unknown[] {
  return [taken.id, taken.leasedUntil, at, status, durationMs, responseBody, error];
}

/** Gives a delivery back unsent, or sent with nobody knowing: whoever comes next sends it. */
export async function releaseDelivery(pool: pg.Pool, taken: TakenDelivery): Promise<void> {
  await pool.query({
    name: 'release-webhook',
    text: 'UPDATE webhook_deliveries SET "leasedUntil" = NULL WHERE id = $1 AND "leasedUntil" = $2',
    values: [taken.id, taken.leasedUntil],
  });
}

/** What a disabled endpoint had open is dead. What is in flight ends by itself and is buried by the next pass. */
export const buryDeliveries = `UPDATE webhook_deliveries SET ${dead} WHERE "endpointId" = $2 AND "nextAttemptAt" IS NOT NULL AND ("leasedUntil" IS NULL OR "leasedUntil" <= $1)`;

/** How long the oldest delivery that could be sent has been waiting. */
export async function oldestDueS(pool: pg.Pool, now: Date): Promise<number> {
  const { rows } = await pool.query<{ at: Date | null }>({
    name: 'oldest-due-webhook',
    text: `SELECT min("nextAttemptAt") AS at FROM webhook_deliveries WHERE "nextAttemptAt" <= $1 AND "testClockId" IS NULL AND ${notLeased('webhook_deliveries')}`,
    values: [now],
  });
  const at = rows[0]?.at;
  return at ? Math.max(0, (now.getTime() - at.getTime()) / 1000) : 0;
}
