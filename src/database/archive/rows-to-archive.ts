import { type Queryable, queryRows, sql } from '../sql.ts';
import type { ArchivedRow } from './archive-file.ts';
import type { Series } from './manifest.ts';
import { monthAfter } from './months.ts';
import type { ArchiveFile } from './plan.ts';

/** The rows of a file, in its order. */
export async function* rowsOf(database: Queryable, file: ArchiveFile): AsyncGenerator<ArchivedRow[]> {
  let last: ArchivedRow | null = null;
  for (;;) {
    const batch: ArchivedRow[] =
      file.series === 'audit'
        ? await readAudit(database, file, last)
        : await readEvents(database, modeOf(file.series), file.month, last, batchSize);
    if (batch.length > 0) yield batch;
    if (batch.length < batchSize) return;
    last = batch.at(-1) ?? null;
  }
}

const batchSize = 2_000;

/** The mode whose events a series has. */
export function modeOf(series: Exclude<Series, 'audit'>): string {
  return series.slice('events-'.length);
}

/**
 * Events that nothing needs any more: their deliveries, which are made with the event and never later, are purged. What
 * is on a test clock stays, where a year may have taken a minute.
 */
export function readEvents(
  database: Queryable,
  mode: string,
  month: string,
  after: ArchivedRow | null,
  limit: number,
): Promise<ArchivedRow[]> {
  return queryRows<ArchivedRow>(
    database,
    sql`
      SELECT e.id, NULL AS sequence, e."createdAt"::text AS at, to_jsonb(e)::text AS line
      FROM events e
      WHERE e.mode = ${mode}
        AND e."createdAt" >= ${month}::date::timestamp AT TIME ZONE 'UTC'
        AND e."createdAt" < ${monthAfter(month)}::date::timestamp AT TIME ZONE 'UTC'
        AND (e."createdAt", e.id) > (${after?.at ?? '-infinity'}::timestamptz, ${after?.id ?? ''})
        AND e."testClockId" IS NULL
        AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d."eventId" = e.id)
      ORDER BY e."createdAt", e.id
      LIMIT ${limit}`,
  );
}

function readAudit(database: Queryable, file: ArchiveFile, after: ArchivedRow | null): Promise<ArchivedRow[]> {
  return queryRows<ArchivedRow>(
    database,
    sql`
      SELECT r.id, r.sequence, r.at::text AS at, to_jsonb(r)::text AS line
      FROM audit_rows r
      WHERE r.sequence BETWEEN ${after?.sequence == null ? file.firstSequence : after.sequence + 1}
        AND ${file.lastSequence}
      ORDER BY r.sequence
      LIMIT ${batchSize}`,
  );
}
