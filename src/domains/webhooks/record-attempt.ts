import { execute, type Queryable, queryRow, type Sql, sql } from '../../database/sql.ts';
import type { LeasedDelivery } from './leased-delivery.ts';
import { failingMaxMs } from './schedule.ts';

/** One request to a receiver and its result. */
export interface Attempt {
  at: Date;
  status: number | null;
  durationMs: number;
  responseBody: string | null;
  responseHeaders: readonly { name: string; value: string }[] | null;
  error: string | null;
  timedOut: boolean;
}

/**
 * Records a successful attempt, unless another process has leased the delivery in the meantime: then the result of that
 * process counts.
 */
export async function recordDelivered(database: Queryable, leased: LeasedDelivery, attempt: Attempt): Promise<void> {
  const deliveredAt = leased.testClockId === null ? attempt.at : null; // a test clock does not show when it answered
  await execute(
    database,
    sql`
WITH completed AS (
  UPDATE webhook_deliveries
  SET
    status = 'delivered',
    "nextAttemptAt" = NULL,
    "leasedUntil" = NULL,
    "attemptCount" = "attemptCount" + 1,
    "failureCount" = 0
  ${ifStillLeased(leased)}
),
${attemptPart(attempt)},
recovered AS (
  UPDATE webhook_endpoints w
  SET
    "failingSince" = NULL,
    "failingClockId" = NULL,
    "leftUnanswered" = ${attempt.timedOut},
    "lastDeliveredAt" = greatest(w."lastDeliveredAt", ${deliveredAt}::timestamptz)
  FROM completed
  WHERE w.id = completed."endpointId"
    AND (
      w."failingSince" IS NOT NULL
      OR w."leftUnanswered" <> ${attempt.timedOut}
      OR coalesce(w."lastDeliveredAt", '-infinity') < ${deliveredAt}::timestamptz - interval '1 minute'
    )
)
SELECT 1 FROM completed`,
  );
}

/**
 * Records a failed attempt under the same condition. `next` is null when there is no further attempt: the schedule has
 * ended, or the receiver answered 410. Returns why the endpoint was disabled by this failure, or null.
 */
export async function recordFailed(
  database: Queryable,
  leased: LeasedDelivery,
  attempt: Attempt,
  next: Date | null,
  gone: boolean,
): Promise<'gone' | 'failing' | null> {
  const { at, timedOut } = attempt;
  const { testClockId } = leased;
  // A failure on a test clock says nothing about how long a receiver has been failing in real time.
  const onSameClock = sql`w."failingClockId" IS NOT DISTINCT FROM ${testClockId}::text`;
  const failingLimit = new Date(at.getTime() - failingMaxMs);
  const failingTooLong = sql`coalesce(w."failingSince", ${at}) <= ${failingLimit}::timestamptz`;
  const isDisabled = sql`(${gone}::boolean OR (${onSameClock} AND ${failingTooLong}))`;
  const row = await queryRow<{ disabledReason: 'gone' | 'failing' | null }>(
    database,
    sql`
WITH completed AS (
  UPDATE webhook_deliveries
  SET
    status = ${next === null ? 'dead' : 'failed'},
    "nextAttemptAt" = ${next},
    "leasedUntil" = NULL,
    "attemptCount" = "attemptCount" + 1,
    "failureCount" = "failureCount" + 1
  ${ifStillLeased(leased)}
),
${attemptPart(attempt)},
failing AS (
  UPDATE webhook_endpoints w
  SET
    "failingSince" = CASE WHEN ${onSameClock} THEN coalesce(w."failingSince", ${at}) ELSE ${at} END,
    "failingClockId" = ${testClockId},
    "leftUnanswered" = ${timedOut},
    enabled = NOT ${isDisabled},
    "disabledReason" = CASE WHEN ${isDisabled} THEN ${gone ? 'gone' : 'failing'} END,
    "updatedAt" = CASE WHEN ${isDisabled} THEN ${at} ELSE w."updatedAt" END
  FROM completed
  WHERE w.id = completed."endpointId"
    AND w.enabled
    AND (w."failingSince" IS NULL OR NOT (${onSameClock}) OR ${isDisabled} OR w."leftUnanswered" <> ${timedOut})
  RETURNING w."disabledReason"
)
SELECT "disabledReason" FROM failing`,
  );
  return row?.disabledReason ?? null;
}

function ifStillLeased({ id, leasedUntil }: LeasedDelivery): Sql {
  return sql`WHERE id = ${id} AND "leasedUntil" = ${leasedUntil}
  RETURNING id, "endpointId", "attemptCount"`;
}

function attemptPart({ at, status, durationMs, responseBody, responseHeaders, error }: Attempt): Sql {
  const headers = responseHeaders && JSON.stringify(responseHeaders);
  return sql`attempted AS (
  INSERT INTO webhook_attempts (
    "deliveryId", number, at, status, "durationMs", "responseBody", "responseHeaders", error
  )
  SELECT
    id, "attemptCount", ${at}::timestamptz, ${status}, ${durationMs}, ${responseBody}, ${headers}::jsonb, ${error}
  FROM completed
)`;
}
