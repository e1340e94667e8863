import pg from 'pg';
import { assertModeServed, servedModes } from '../../auth/modes.ts';
import { constant, queryRows, sql } from '../../database/sql.ts';
import { Prisma, type Processor } from '../../generated/prisma/client.ts';
import { dueColumns, leaseOver, notSaturated } from '../../jobs/leases.ts';
import { type Due, runDueRows, type Saturated } from '../../jobs/run-due-rows.ts';
import { Conflict, NotAuthorized, NotFound } from '../../lib/errors.ts';
import { type Mode, newId } from '../../lib/ids.ts';
import { NoticeEarly, NoticeRefused, type ProcessorEvent, type ProcessorNotice } from '../../ports/card-processor.ts';
import type { Services } from '../../services.ts';
import type { RecordedBy } from '../../unit-of-work/records.ts';
import { receiveDispute } from '../disputes/public.ts';
import { applyAuthorization, applyModification } from '../payments/public.ts';
import { openConnection } from '../processors/public.ts';

/** The result for the notices of an event: of several, the one that needs most attention. */
interface Applied {
  result: 'ignored' | 'applied' | 'waiting' | 'rejected';
  /** Why the event is rejected or waits. */
  reason: string | null;
  waiting: ProcessorNotice[];
}

/** Applies the notices of an event separately: a rejected one does not stop the others. */
async function applyNotices(
  services: Services,
  by: RecordedBy,
  processorId: string,
  notices: readonly ProcessorNotice[],
): Promise<Applied> {
  const applied: Applied = { result: 'ignored', reason: null, waiting: [] };
  for (const notice of notices)
    try {
      if ((await apply(services, by, processorId, notice)) && applied.result === 'ignored') applied.result = 'applied';
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal !== null) {
        applied.result = 'rejected';
        applied.reason = refusal;
      } else if (error instanceof NoticeEarly || error instanceof Conflict) {
        applied.waiting.push(notice);
        if (applied.result !== 'rejected') Object.assign(applied, { result: 'waiting', reason: error.message });
      } else throw error;
    }
  return applied;
}

async function apply(
  services: Services,
  by: RecordedBy,
  processorId: string,
  notice: ProcessorNotice,
): Promise<boolean> {
  switch (notice.about) {
    case 'authorization':
      return applyAuthorization(services, by, processorId, notice);
    case 'dispute':
      if (!(await receiveDispute(services, by, processorId, notice.dispute)))
        throw new NoticeEarly('No charge of this processor has this reference.');
      return true;
    default:
      return applyModification(services, by, processorId, notice);
  }
}

/**
 * The reason of a rejection; null for other errors. A unique index ensures that a reference of a processor belongs to
 * one transaction.
 */
function refusalOf(error: unknown): string | null {
  if (error instanceof NoticeRefused) return error.reason;
  const isTaken =
    error instanceof pg.DatabaseError &&
    error.code === '23505' &&
    error.constraint === 'transactions_processorReference_processorId_key';
  return isTaken ? 'charge_mismatch' : null;
}

const batchMax = 50;
const processor = sql`t."processorId"`;
const firstPauseMs = 10_000;
const pauseMaxMs = 3_600_000;
/** After this time an event is rejected: its charge is not one of the platform. */
const waitMaxMs = 3 * 24 * 3_600_000;

/** When a waiting event is retried: after 10 s, twice as long each time, at most an hour. */
function retryTime(now: Date, attempts: number): Date {
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
 * Applies events that arrived too early: before the answer of the charge, or while a capture or refund was in flight.
 * An event that waits for too long is rejected.
 */
export function retryWaitingEvents(services: Services, stopping: AbortSignal = never): Promise<number> {
  return runDueRows<WaitingEvent>({
    lease: (full) => leaseDue(services, full),
    run: (event) => retry(services, event),
    failed: (error, { processorId, eventId }) =>
      services.log.warn({ err: error, processorId, eventId }, 'A waiting event could not be applied.'),
    stopping,
  });
}

const never = new AbortController().signal;

/**
 * Leases due events by deferring them, so that no other process gets them and one that fails does not delay the others.
 */
function leaseDue({ pool, clock, config }: Services, full: Saturated): Promise<WaitingEvent[]> {
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
        SELECT t."processorId", t."eventId"
        FROM unapplied_events t
        WHERE t.status = 'waiting' AND ${leaseOver(sql`t."retryAt"`, now, pauseMaxMs)} ${servedModes(config, sql`t.mode`)}
          AND ${notSaturated(full, 't', processor)}
        ORDER BY t."retryAt"
        LIMIT ${constant(batchMax)}
        FOR NO KEY UPDATE SKIP LOCKED
      )
      RETURNING ${dueColumns('t', processor)}, t."eventId", t.notices, t.attempts, t."receivedAt"`,
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
  await services.prisma.unappliedEvent.updateMany({
    where: { processorId, eventId },
    data: {
      status,
      ...(reason !== null && { reason }),
      notices: status === 'waiting' ? asJson(waiting) : Prisma.DbNull,
      updatedAt: now,
    },
  });
}

function asJson(notices: readonly ProcessorNotice[]): Prisma.InputJsonArray {
  return JSON.parse(JSON.stringify(notices)) as Prisma.InputJsonArray; // an array, as it was given
}

/** The times of a stored notice are texts. */
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

export type Received = Applied['result'] | 'known';

/**
 * Receives a signed event of a live processor. Its id is stored when all its notices are applied. After a crash before
 * that, the event is applied again when it is sent again, since each notice takes effect once. An event that is
 * rejected or early is stored for operators, and answered like any other: the processor need not send it again.
 */
export async function receiveProcessorEvent(
  services: Services,
  type: string,
  processorId: string,
  raw: { body: string; headers: Readonly<Record<string, string>>; requestId: string; ip: string | null },
): Promise<Received> {
  const { prisma } = services;
  const processor = await prisma.processor.findUnique({ where: { id: processorId } });
  const port = services.processors.get(type);
  if (processor?.type !== type || !port?.readEvent) throw new NotFound('Processor not found.');
  assertModeServed(services.config, processor.mode as Mode); // a CHECK constraint limits the column to the two
  const event = await port.readEvent({
    processor: openConnection(services.config, processor),
    livemode: processor.mode === 'live',
    body: raw.body,
    headers: raw.headers,
  });
  if (!event) throw new NotAuthorized('The signature is invalid.');
  const ids = { processorId, eventId: event.id };
  if (await prisma.processorEvent.findUnique({ where: { processorId_eventId: ids } })) return 'known';
  const by: RecordedBy = {
    actor: { kind: 'processor', id: processorId },
    requestId: raw.requestId,
    ip: raw.ip,
    now: services.clock.now(),
    testClockId: null,
    auditKeys: services.auditKeys,
  };
  const applied: Applied = event.refusal
    ? { result: 'rejected', reason: event.refusal, waiting: [] }
    : await applyNotices(services, by, processorId, event.notices);
  if (applied.reason !== null) await storeUnapplied(services, by, processor, event, applied, applied.reason);
  await prisma.processorEvent.createMany({ data: [{ ...ids, receivedAt: by.now }], skipDuplicates: true });
  return applied.result;
}

async function storeUnapplied(
  { prisma, log }: Services,
  { now }: RecordedBy,
  { id: processorId, partnerId, platformAccountId, mode }: Processor,
  { id: eventId, type }: ProcessorEvent,
  { result, waiting }: Applied,
  reason: string,
): Promise<void> {
  const isWaiting = result === 'waiting';
  const message = isWaiting ? 'An event of a processor waits.' : 'An event of a processor was refused.';
  log[isWaiting ? 'info' : 'warn']({ processorId, eventId, type, reason }, message);
  const row = {
    id: newId('uev_', now),
    processorId,
    eventId,
    partnerId,
    platformAccountId,
    mode,
    type,
    status: result,
    reason,
    notices: isWaiting ? asJson(waiting) : Prisma.DbNull,
    retryAt: isWaiting ? retryTime(now, 0) : null,
    receivedAt: now,
    updatedAt: now,
  };
  await prisma.unappliedEvent.createMany({ data: [row], skipDuplicates: true });
}
