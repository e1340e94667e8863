import { assertModeServed } from '../../auth/sandbox.ts';
import { execute, type Queryable, queryRow, sql } from '../../database/sql.ts';
import { NotAuthorized, NotFound } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import { toJson } from '../../kit/json.ts';
import type { Mode } from '../../kit/mode.ts';
import type { ProcessorEvent } from '../../ports/card-processor.ts';
import type { Services } from '../../services.ts';
import type { RecordedBy } from '../../write/records.ts';
import { connectionTo } from '../processors/public.ts';
import { type Applied, applyNotices } from './apply-notices.ts';
import { retryTime } from './retry-waiting-events.ts';

export type Received = Applied['result'] | 'known';

/**
 * Receives a signed event of a live processor. Its id is stored when all its notices are applied. If a crash interrupts
 * that, the event is applied again when it is sent again, since each notice takes effect once. An event that is refused
 * or early is stored for operators, and answered like any other: the processor need not send it again.
 */
export async function receiveProcessorEvent(
  services: Services,
  type: string,
  processorId: string,
  raw: { body: string; headers: Readonly<Record<string, string>>; requestId: string; ip: string | null },
): Promise<Received> {
  const { pool } = services;
  const processor = await queryRow<{ type: string; mode: Mode }>(
    pool,
    sql`SELECT type, mode FROM processors WHERE id = ${processorId}`,
  );
  const port = services.processors.get(type);
  if (processor?.type !== type || !port?.readEvent) throw new NotFound('There is no such processor.');
  assertModeServed(services.config, processor.mode);
  const event = await port.readEvent({
    processor: await connectionTo(services, processorId),
    livemode: processor.mode === 'live',
    body: raw.body,
    headers: raw.headers,
  });
  if (!event) throw new NotAuthorized('The signature does not hold.');
  if (await isKnown(pool, processorId, event.id)) return 'known';
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
  if (applied.reason !== null) await storeUnapplied(services, by, processorId, event, applied);
  await execute(
    pool,
    sql`
      INSERT INTO processor_events ("processorId", "eventId", "receivedAt")
      VALUES (${processorId}, ${event.id}, ${by.now})
      ON CONFLICT DO NOTHING`,
  );
  return applied.result;
}

async function isKnown(database: Queryable, processorId: string, eventId: string): Promise<boolean> {
  const known = await queryRow(
    database,
    sql`
      SELECT 1
      FROM processor_events
      WHERE "processorId" = ${processorId} AND "eventId" = ${eventId}`,
  );
  return known !== undefined;
}

async function storeUnapplied(
  { pool, log }: Services,
  { now }: RecordedBy,
  processorId: string,
  { id: eventId, type }: ProcessorEvent,
  { result, reason, waiting }: Applied,
): Promise<void> {
  const isWaiting = result === 'waiting';
  const message = isWaiting ? 'An event of a processor waits.' : 'An event of a processor was refused.';
  log[isWaiting ? 'info' : 'warn']({ processorId, eventId, type, reason }, message);
  await execute(
    pool,
    sql`
      INSERT INTO unapplied_events
        (id, "processorId", "eventId", "partnerId", "platformAccountId", mode, type, status, reason, notices, "retryAt",
         "receivedAt", "updatedAt")
      SELECT
        ${newId('uev_', now)}, p.id, ${eventId}, p."partnerId", p."platformAccountId", p.mode, ${type}, ${result},
        ${reason},
        ${isWaiting ? toJson(waiting) : null}::jsonb, ${isWaiting ? retryTime(now, 0) : null}::timestamptz, ${now},
        ${now}
      FROM processors p
      WHERE p.id = ${processorId}
      ON CONFLICT DO NOTHING`,
  );
}
