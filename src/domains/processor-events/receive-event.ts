import { execute, type Queryable, queryRow, sql } from '../../database/sql.ts';
import { NotAuthorized, NotFound } from '../../kit/errors.ts';
import type { ProcessorNotice } from '../../ports/card-processor.ts';
import type { Services } from '../../services.ts';
import type { RecordedBy } from '../../write/records.ts';
import { receiveDispute } from '../disputes/public.ts';
import { applyAuthorization, applyModification } from '../payments/public.ts';
import { connectionTo } from '../processors/public.ts';

export type Received = 'applied' | 'ignored' | 'known';

/**
 * Receives a signed event of a live processor. Its id is stored when all its notices are applied. If a crash interrupts
 * that, the event is applied again when it is sent again, since each notice takes effect once.
 */
export async function receiveProcessorEvent(
  services: Services,
  type: string,
  processorId: string,
  raw: { body: string; headers: Readonly<Record<string, string>>; requestId: string; ip: string | null },
): Promise<Received> {
  const { pool } = services;
  const processor = await queryRow<{ type: string }>(pool, sql`SELECT type FROM processors WHERE id = ${processorId}`);
  const port = services.processors.get(type);
  if (processor?.type !== type || !port?.readEvent) throw new NotFound('There is no such processor.');
  const event = await port.readEvent({
    processor: await connectionTo(services, processorId),
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
  };
  let applied = false;
  for (const notice of event.notices) if (await apply(services, by, processorId, notice)) applied = true;
  await execute(
    pool,
    sql`
      INSERT INTO processor_events ("processorId", "eventId", "receivedAt")
      VALUES (${processorId}, ${event.id}, ${by.now})
      ON CONFLICT DO NOTHING`,
  );
  return applied ? 'applied' : 'ignored';
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

async function apply(
  services: Services,
  by: RecordedBy,
  processorId: string,
  notice: ProcessorNotice,
): Promise<boolean> {
  switch (notice.about) {
    case 'authorization':
      return applyAuthorization(services, by, processorId, notice.reference, notice.outcome);
    case 'dispute':
      return (await receiveDispute(services, by, processorId, notice.dispute)) !== null;
    default:
      return applyModification(services, by, processorId, notice);
  }
}
