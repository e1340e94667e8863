import { constant, queryRows, sql } from '../../database/sql.ts';
import type { UnappliedEvent } from '../../generated/prisma/client.ts';
import type { Services } from '../../services.ts';

/** More than an operator reads; the log has all of them. */
export const unappliedEventsMax = 200;

/** The newest events of processors that have changed nothing, or did so only later. */
export function listUnappliedEvents(
  { pool }: Pick<Services, 'pool'>,
  { status, processorId }: { status?: string | null | undefined; processorId?: string | null | undefined },
): Promise<UnappliedEvent[]> {
  return queryRows(
    pool,
    sql`
      SELECT *
      FROM unapplied_events
      WHERE (${status ?? null}::text IS NULL OR status = ${status ?? null})
        AND (${processorId ?? null}::text IS NULL OR "processorId" = ${processorId ?? null})
      ORDER BY "receivedAt" DESC, "processorId", "eventId"
      LIMIT ${constant(unappliedEventsMax)}`,
  );
}
