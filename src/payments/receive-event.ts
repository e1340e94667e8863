import { receiveDispute } from '../disputes/operations.ts';
import type { Env } from '../env.ts';
import { NotAuthorized, NotFound } from '../kit/errors.ts';
import type { RecordedBy } from '../kit/records.ts';
import { connectionTo } from '../processors/operations.ts';
import type { ProcessorNotice } from '../ports/card-processor.ts';
import { applyAuthorization, applyFollowUp } from './apply-notice.ts';

export type Received = 'applied' | 'ignored' | 'known';

/**
 * Takes a signed event of a live processor. An event is known by its id once all of it has been done; what a crash left half
 * done is done again when it is sent again, since each part of it happens once by itself.
 */
export async function receiveProcessorEvent(
  env: Env,
  type: string,
  processorId: string,
  raw: { body: string; headers: Readonly<Record<string, string>>; requestId: string; ip: string | null },
): Promise<Received> {
  const { rows } = await env.pool.query<{ type: string }>({
    name: 'processor-of-event',
    text: 'SELECT type FROM processors WHERE id = $1',
    values: [processorId],
  });
  const port = env.processors.get(type);
  if (rows[0]?.type !== type || !port?.readEvent) throw new NotFound('There is no such processor.');
  const event = await port.readEvent({
    processor: await connectionTo(env, processorId),
    body: raw.body,
    headers: raw.headers,
  });
  if (!event) throw new NotAuthorized('The signature does not hold.');
  const known = await env.pool.query({
    name: 'event-known',
    text: 'SELECT 1 FROM processor_events WHERE "processorId" = $1 AND "eventId" = $2',
    values: [processorId, event.id],
  });
  if (known.rowCount === 1) return 'known';
  const by: RecordedBy = {
    actor: { kind: 'processor', id: processorId },
    requestId: raw.requestId,
    ip: raw.ip,
    now: env.clock.now(),
    testClockId: null,
  };
  let applied = false;
  for (const notice of event.notices) if (await apply(env, by, processorId, notice)) applied = true;
  await env.pool.query({
    name: 'event-done',
    text: 'INSERT INTO processor_events ("processorId", "eventId", "receivedAt") VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    values: [processorId, event.id, by.now],
  });
  return applied ? 'applied' : 'ignored';
}

async function apply(env: Env, by: RecordedBy, processorId: string, notice: ProcessorNotice): Promise<boolean> {
  switch (notice.about) {
    case 'authorization':
      return applyAuthorization(env, by, processorId, notice.reference, notice.outcome);
    case 'dispute':
      return (await receiveDispute(env, by, processorId, notice.dispute)) !== null;
    default:
      return applyFollowUp(env, by, processorId, notice);
  }
}

/** Longer than any processor goes on sending. */
const keptMs = 60 * 24 * 60 * 60_000;

/** Forgets events that nobody sends any more. */
export async function forgetProcessorEvents({ pool, clock }: Env): Promise<number> {
  const { rowCount } = await pool.query(
    'DELETE FROM processor_events WHERE ctid = ANY(ARRAY(SELECT ctid FROM processor_events WHERE "receivedAt" < $1 ORDER BY "receivedAt" LIMIT 10000))',
    [new Date(clock.now().getTime() - keptMs)],
  );
  return rowCount ?? 0;
}
