import type { Tenant } from '../../../auth/tenancy.ts';
import type { Context } from '../../../call/context.ts';
import { constant, execute, type Queryable, queryRow, queryRows, type Sql, sql } from '../../../database/sql.ts';
import { inTransaction } from '../../../database/transaction.ts';
import { type Event, Prisma, type WebhookDelivery } from '../../../generated/prisma/client.ts';
import { inBatches, isTooLate, leaseOver } from '../../../jobs/leases.ts';
import { Conflict } from '../../../lib/errors.ts';
import type { Services } from '../../../services.ts';
import type { Write } from '../../../unit-of-work/write.ts';
import type { EndpointRow } from '../endpoints/rows.ts';
import type { LeasedDelivery } from './lease.ts';
import { failingMaxMs, waitMaxMs } from './schedule.ts';

export interface AttemptRow {
  at: string;
  status: number | null;
  durationMs: number;
  responseBody: string | null;
  responseHeaders: { name: string; value: string }[] | null;
  error: string | null;
  /** Of the delivery. */
  eventId: string;
  testClockId: string | null;
}

export type DeliveryRow = WebhookDelivery & { attempts: AttemptRow[] };

/**
 * A delivery that was sent many times is returned with its latest attempts only, because answers of receivers are
 * large.
 */
const attemptsShownMax = 50;

/** The column `attempts` of a delivery `t`. */
export const attemptsColumn = sql`coalesce((
  SELECT jsonb_agg(to_jsonb(a) ORDER BY a.number)
  FROM (
    SELECT
      a.number, a.at, a.status, a."durationMs", a."responseBody", a."responseHeaders", a.error,
      t."eventId", t."testClockId"
    FROM webhook_attempts a
    WHERE a."deliveryId" = t.id
    ORDER BY a.number DESC
    LIMIT ${constant(attemptsShownMax)}
  ) a
), '[]') AS attempts`;

/** Longer than any attempt. When a process dies, its deliveries can be leased again after this time. */
export const leaseMs = 30_000;

/** The condition that no process has leased the delivery `t` at the moment `real`. */
export function notLeased(real: Date): Sql {
  return leaseOver(sql`t."leasedUntil"`, real, leaseMs);
}

/** The assignments that mark a delivery dead. */
export const becomesDead = sql`status = 'dead', "nextAttemptAt" = NULL, "leasedUntil" = NULL`;

/**
 * Marks the open deliveries of a disabled endpoint dead. A delivery in flight is completed and marked by the next run
 * of the job.
 */
export function markDeliveriesDead(endpointId: string, real: Date): Sql {
  return sql`
UPDATE webhook_deliveries t
SET ${becomesDead}
WHERE t."endpointId" = ${endpointId}
  AND t."nextAttemptAt" IS NOT NULL
  AND ${notLeased(real)}`;
}

/**
 * Makes the deliveries that match `condition` pending, with the schedule from its start. A delivery in flight is
 * skipped, since only its sender may record the result.
 */
export function redeliver(condition: Sql, now: Date): Sql {
  return sql`
UPDATE webhook_deliveries t
SET
  status = 'pending',
  "nextAttemptAt" = coalesce((SELECT c.now FROM test_clocks c WHERE c.id = t."testClockId"), ${now}),
  "leasedUntil" = NULL,
  "failureCount" = 0
WHERE ${notLeased(now)} AND ${condition}`;
}

export function assertEnabled({ enabled }: EndpointRow): void {
  if (!enabled) throw new Conflict('invalid_state', 'The webhook endpoint is disabled: enable it first.');
}

/** The event of a test. An endpoint that receives the events of all accounts belongs to none. */
export type TestEvent = Omit<Event, 'platformAccountId'> & { platformAccountId: string | null };

/** The `webhook/test` event with this id, which exists as long as its delivery; null if there is none. */
export async function findTestEvent(
  { services }: Pick<Context, 'services'>,
  tenant: Partial<Tenant>,
  eventId: string,
): Promise<TestEvent | null> {
  const delivery = await services.prisma.webhookDelivery.findFirst({
    where: { ...tenant, eventId, testBody: { not: Prisma.DbNull } },
  });
  if (!delivery) return null;
  const { partnerId, mode, testClockId } = delivery;
  const body = delivery.testBody as Omit<TestEvent, 'createdAt'> & { createdAt: string }; // as it was sent
  return { ...body, partnerId, mode, testClockId, objectId: eventId, createdAt: new Date(body.createdAt) };
}

export function addTestDelivery(
  { tx }: Pick<Write, 'tx'>,
  delivery: Prisma.WebhookDeliveryUncheckedCreateInput,
): Promise<WebhookDelivery> {
  return tx.webhookDelivery.create({ data: delivery });
}

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
export async function recordDelivered(database: Queryable, leased: LeasedDelivery, attempt: Attempt): Promise<void> {
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

/**
 * Makes deliveries due immediately whose next attempt is later than the schedule allows: a first attempt is never
 * scheduled ahead, and a retry at most `waitMaxMs`. Such times were written while a clock was ahead.
 */
export function releaseFutureDeliveries({ pool, clock }: Pick<Services, 'pool' | 'clock'>): Promise<number> {
  const now = clock.now();
  return execute(
    pool,
    sql`
      UPDATE webhook_deliveries
      SET "nextAttemptAt" = ${now}
      WHERE id IN (
        SELECT id
        FROM webhook_deliveries
        WHERE "nextAttemptAt" IS NOT NULL
          AND "testClockId" IS NULL
          AND ${isTooLate(sql`"nextAttemptAt"`, now, 0)}
          AND ("failureCount" = 0 OR ${isTooLate(sql`"nextAttemptAt"`, now, waitMaxMs)})
        FOR NO KEY UPDATE SKIP LOCKED
      )`,
  );
}

/** Erases what receivers answered to the events of an object. */
export async function forgetAnswersAbout(tx: Prisma.TransactionClient, objectId: string): Promise<void> {
  await tx.$executeRaw(sql`
    UPDATE webhook_attempts a
    SET "responseBody" = NULL, "responseHeaders" = NULL
    FROM events e
    JOIN webhook_deliveries d ON d."eventId" = e.id
    WHERE e."objectId" = ${objectId} AND a."deliveryId" = d.id`);
}

const dayMs = 86_400_000;
/** Deliveries purged in one database transaction, so that locks are held briefly. */
const batchMax = 2_000;

/**
 * Purges deliveries and their attempts `webhookKeepDays` days after their event. The events themselves are kept.
 * Neither a delivery that is still to be sent is purged, nor one on a test clock, where a year may take a minute.
 */
export function purgeDeliveries(services: Services, stopping?: AbortSignal): Promise<number> {
  const before = new Date(services.clock.earliestReal().getTime() - services.config.webhookKeepDays * dayMs);
  return inBatches(batchMax, () => purgeBatch(services, before), stopping);
}

function purgeBatch({ pool }: Services, before: Date): Promise<number> {
  return inTransaction(pool, async (client) => {
    // Locked, so that no delivery is redelivered while its attempts are deleted.
    const old = await queryRows<{ id: string }>(
      client,
      sql`
SELECT id
FROM webhook_deliveries
WHERE "nextAttemptAt" IS NULL AND "testClockId" IS NULL AND "createdAt" < ${before}
ORDER BY "createdAt"
LIMIT ${batchMax}
FOR UPDATE SKIP LOCKED`,
    );
    const ids = old.map(({ id }) => id);
    await execute(client, sql`DELETE FROM webhook_attempts WHERE "deliveryId" = ANY(${ids})`);
    await execute(client, sql`DELETE FROM webhook_deliveries WHERE id = ANY(${ids})`);
    return ids.length;
  });
}
