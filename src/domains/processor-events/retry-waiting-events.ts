import { servedModes } from '../../auth/sandbox.ts';
import { leaseOver } from '../../database/leases.ts';
import { ofOthers } from '../../database/put-off.ts';
import { constant, execute, queryRows, sql } from '../../database/sql.ts';
import { toJson } from '../../kit/json.ts';
import type { ProcessorNotice } from '../../ports/card-processor.ts';
import { type Due, type Full, runAtOnce } from '../../runtime/at-once.ts';
import type { Services } from '../../services.ts';
import type { RecordedBy } from '../../write/records.ts';
import { applyNotices } from './apply-notices.ts';

const batchMax = 50;
const firstPauseMs = 10_000;
const pauseMaxMs = 3_600_000;
/** What has not fitted for this long never will: the charge is not one of the platform. */
const waitMaxMs = 3 * 24 * 3_600_000;

/** When a waiting event is tried again: after 10 s, twice as long each time, at most an hour. */
export function retryTime(now: Date, attempts: number): Date {
  return new Date(now.getTime() + Math.min(firstPauseMs * 2 ** attempts, pauseMaxMs));
}

interface WaitingEvent extends Due {
  processorId: string;
  eventId: string;
  notices: ProcessorNotice[];
  attempts: number;
  receivedAt: Date;
}

/**
 * Applies events that arrived before what they are about: before the answer of the charge, or while a capture or refund
 * was in flight. An event that waits for too long is refused.
 */
export function retryWaitingEvents(services: Services, stopping: AbortSignal = never): Promise<number> {
  return runAtOnce<WaitingEvent>({
    lease: (full) => leaseDue(services, full),
    run: (event) => retry(services, event),
    failed: (error, { processorId, eventId }) =>
      services.log.warn({ err: error, processorId, eventId }, 'A waiting event could not be applied.'),
    stopping,
  });
}

const never = new AbortController().signal;

/**
 * Takes due events and defers them, so that no other process takes them and one that fails does not delay the others.
 */
function leaseDue({ pool, clock, config }: Services, full: Full): Promise<WaitingEvent[]> {
  const now = clock.now();
  return queryRows(
    pool,
    sql`
      UPDATE unapplied_events t
      SET
        attempts = t.attempts + 1,
        "retryAt" = ${now}::timestamptz
          + least(${firstPauseMs} * power(2, t.attempts + 1), ${pauseMaxMs}) * interval '1 millisecond'
      WHERE (t."processorId", t."eventId") IN (
        SELECT "processorId", "eventId"
        FROM unapplied_events
        WHERE status = 'waiting' AND ${leaseOver(sql`"retryAt"`, now, pauseMaxMs)} ${servedModes(config, sql`mode`)}
          AND ${ofOthers(full, sql`"platformAccountId"`, sql`"processorId"`)}
        ORDER BY "retryAt"
        LIMIT ${constant(batchMax)}
        FOR NO KEY UPDATE SKIP LOCKED
      )
      RETURNING t.id, t."platformAccountId", t."processorId", t."eventId", t.notices, t.attempts, t."receivedAt"`,
  );
}

async function retry(services: Services, { processorId, eventId, notices, receivedAt }: WaitingEvent): Promise<void> {
  const now = services.clock.now();
  const by: RecordedBy = {
    actor: { kind: 'processor', id: processorId },
    requestId: `job_retry-waiting-events_${now.getTime()}`,
    ip: null,
    now,
    testClockId: null,
    auditKeys: services.auditKeys,
  };
  const { result, reason, waiting } = await applyNotices(services, by, processorId, notices.map(withDates));
  const isOver = result === 'waiting' && now.getTime() - receivedAt.getTime() >= waitMaxMs;
  const status = isOver ? 'rejected' : result === 'ignored' ? 'applied' : result;
  await execute(
    services.pool,
    sql`
      UPDATE unapplied_events
      SET
        status = ${status}, reason = coalesce(${reason}, reason), "updatedAt" = ${now},
        notices = ${status === 'waiting' ? toJson(waiting) : null}::jsonb
      WHERE "processorId" = ${processorId} AND "eventId" = ${eventId}`,
  );
}

/** A stored notice has its times as texts. */
function withDates(notice: ProcessorNotice): ProcessorNotice {
  if (notice.about !== 'dispute') return notice;
  const { evidenceDueAt, reportedAt, ...dispute } = notice.dispute;
  return {
    about: 'dispute',
    dispute: {
      ...dispute,
      evidenceDueAt: evidenceDueAt && new Date(evidenceDueAt),
      reportedAt: new Date(reportedAt),
    },
  };
}
