import { execute, type Queryable, queryRow, queryRows, sql } from '../sql.ts';
import type { ArchivedRow } from './archive-file.ts';
import type { Series } from './manifest.ts';

/** A file as the database knows it: planned before it is written, written before its rows are removed. */
export interface ArchiveFile {
  name: string;
  series: Series;
  /** The first day of its month. */
  month: string;
  firstSequence: number | null;
  lastSequence: number | null;
  status: 'planned' | 'written' | 'removed';
  sha256: string | null;
}

/** The first day of the oldest month that stays. Months are those of UTC. */
export function oldestKept(now: Date, keepMonths: number): string {
  return dayOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - keepMonths, 1)));
}

function monthAfter(month: string): string {
  const day = new Date(month);
  return dayOf(new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1)));
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** What the next file of a series would contain; null if nothing before `border` is left that can be moved. */
export async function nextPlan(
  database: Queryable,
  series: Series,
  border: string,
): Promise<Pick<ArchiveFile, 'month' | 'firstSequence' | 'lastSequence'> | null> {
  if (series === 'audit') return nextAuditPlan(database, border);
  const mode = modeOf(series);
  const oldest = await queryRow<{ month: string | null }>(
    database,
    sql`
      SELECT date_trunc('month', min("createdAt") AT TIME ZONE 'UTC')::date::text AS month
      FROM events
      WHERE mode = ${mode}`,
  );
  // Months whose rows are all needed come first, and there may be several.
  for (let month = oldest?.month ?? border; month < border; month = monthAfter(month))
    if ((await readEvents(database, mode, month, null, 1)).length > 0)
      return { month, firstSequence: null, lastSequence: null };
  return null;
}

/** A part of the chain: from its first row here to the last one before the next month. The newest row always stays. */
async function nextAuditPlan(
  database: Queryable,
  border: string,
): Promise<Pick<ArchiveFile, 'month' | 'firstSequence' | 'lastSequence'> | null> {
  const first = await queryRow<{ sequence: number; month: string }>(
    database,
    sql`
      SELECT sequence, date_trunc('month', at AT TIME ZONE 'UTC')::date::text AS month
      FROM audit_rows
      ORDER BY sequence
      LIMIT 1`,
  );
  if (!first || first.month >= border) return null;
  const next = await queryRow<{ sequence: number }>(
    database,
    sql`
      SELECT coalesce(
        (
          SELECT sequence
          FROM audit_rows
          WHERE at >= ${monthAfter(first.month)}::date::timestamp AT TIME ZONE 'UTC'
          ORDER BY sequence
          LIMIT 1
        ),
        (SELECT max(sequence) FROM audit_rows)
      ) AS sequence`,
  );
  const lastSequence = (next?.sequence ?? 0) - 1;
  return lastSequence < first.sequence ? null : { month: first.month, firstSequence: first.sequence, lastSequence };
}

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

function modeOf(series: Exclude<Series, 'audit'>): string {
  return series.slice('events-'.length);
}

/**
 * Events that nothing needs any more: their deliveries, which are made with the event and never later, are purged. What
 * is on a test clock stays, where a year may have taken a minute.
 */
function readEvents(
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

export async function insertPlan(database: Queryable, file: ArchiveFile, now: Date): Promise<void> {
  await execute(
    database,
    sql`
      INSERT INTO archive.files (name, series, month, "firstSequence", "lastSequence", status, "plannedAt")
      VALUES (
        ${file.name}, ${file.series}, ${file.month}::date, ${file.firstSequence}, ${file.lastSequence}, 'planned',
        ${now}
      )`,
  );
}

/** The files of the database in the order in which they were planned. */
export function filesInDatabase(database: Queryable): Promise<ArchiveFile[]> {
  return queryRows<ArchiveFile>(
    database,
    sql`
      SELECT name, series, month::text AS month, "firstSequence", "lastSequence", status, sha256
      FROM archive.files
      ORDER BY "plannedAt", series, month, name`,
  );
}
