import { createHash } from 'node:crypto';
import { withOutageRetry } from '../../../database/outage-retry.ts';
import { execute, type Queryable, queryRow, type Sql, sql } from '../../../database/sql.ts';
import type { Services } from '../../../services.ts';
import { signedHeaders } from '../endpoints/signing.ts';
import { type LeasedDelivery, markDeliveriesDead, releaseDelivery } from './lease.ts';
import { bodyOf, contentHeaders } from './request.ts';
import { failingMaxMs, isDelivered, isGone, nextAttemptAt } from './schedule.ts';

/** One request to a receiver and its result. */
interface Attempt {
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
async function recordDelivered(database: Queryable, leased: LeasedDelivery, attempt: Attempt): Promise<void> {
  const deliveredAt = leased.testClockId === null ? attempt.at : null; // real time is not shown on a test clock
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
 * Records a failed attempt under the same condition. `next` is null if there is no further attempt: the schedule has
 * ended, or the receiver answered 410. Returns why the endpoint was disabled by this failure, or null.
 */
async function recordFailed(
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

export interface AttemptOptions {
  /** Aborted when the server stops. */
  signal: AbortSignal;
  /** Whether the attempt gets a tenth of the usual time. */
  hasShortTimeout: boolean;
}

/** Sends a leased delivery and records the result, at the time of its test clock if its event occurred on one. */
export function attemptDelivery(services: Services, leased: LeasedDelivery, options: AttemptOptions): Promise<void> {
  const { testClockId, testClockNow } = leased;
  const attributes = { deliveryId: leased.id, eventId: leased.eventId };
  const attempt = () =>
    services.tracing.span('webhook attempt', attributes, () => sendAndRecord(services, leased, options), {
      root: true,
    });
  return testClockId !== null && testClockNow !== null
    ? services.clock.on({ id: testClockId, now: testClockNow }, attempt)
    : attempt();
}

async function sendAndRecord(
  services: Services,
  leased: LeasedDelivery,
  { signal, hasShortTimeout }: AttemptOptions,
): Promise<void> {
  const { config, clock, pool, metrics } = services;
  const real = clock.real();
  const at = leased.testClockId === null ? real : clock.now(); // shown as the time of the signature
  const body = bodyOf(config, leased);
  const traceparent = services.tracing.traceparent();
  const headers = {
    ...(traceparent !== undefined && { traceparent }),
    ...contentHeaders,
    // The receiver checks the age of a signature by its own clock, so the timestamp is real time.
    ...signedHeaders(config, leased, leased.eventId, body, real),
  };
  const answer = await services.webhookSender.send({ url: leased.url, headers, body, signal, hasShortTimeout });
  if (answer.aborted) return releaseDelivery(services, leased);

  const { status, durationMs, responseBody, responseHeaders, error, timedOut } = answer;
  const attempt = { at, status, durationMs, responseBody, responseHeaders, error, timedOut };
  const lagS =
    leased.attemptCount === 0 && leased.testClockId === null
      ? (at.getTime() - leased.createdAt.getTime()) / 1000
      : null;
  if (isDelivered(status)) {
    await withOutageRetry({ run: () => recordDelivered(pool, leased, attempt) });
    metrics.webhookAttempted('delivered', durationMs / 1000, lagS);
    return;
  }
  const gone = isGone(status);
  const next = gone ? null : nextAttemptOf(services, leased, at, answer.retryAfter);
  const failed = { ...attempt, error: error ?? `The receiver answered ${status}.` };
  const disabledReason = await withOutageRetry({ run: () => recordFailed(pool, leased, failed, next, gone) });
  metrics.webhookAttempted(next === null ? 'dead' : 'failed', durationMs / 1000, lagS);
  if (disabledReason === null) return;
  services.log.warn({ endpointId: leased.endpointId, reason: disabledReason }, 'A webhook endpoint was disabled.');
  await execute(pool, markDeliveriesDead(leased.endpointId, clock.real()));
}

function nextAttemptOf(
  { clock }: Services,
  { failureCount, testClockId }: LeasedDelivery,
  at: Date,
  retryAfter: string | null,
): Date | null {
  const random = testClockId === null ? Math.random() : jitterOf(testClockId, at);
  return nextAttemptAt(failureCount + 1, { now: clock.now(), real: clock.real() }, retryAfter, random);
}

/**
 * Deliveries that failed at one moment of a test clock get the same jitter: there is no load to spread, and the advance
 * then waits for them once.
 */
function jitterOf(testClockId: string, at: Date): number {
  return createHash('sha256').update(`${testClockId} ${at.getTime()}`).digest().readUInt32BE() / 2 ** 32;
}
