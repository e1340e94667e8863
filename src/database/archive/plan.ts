import { execute, type Queryable, queryRow, queryRows, sql } from '../sql.ts';
import type { Series } from './manifest.ts';
import { monthAfter } from './months.ts';
import { modeOf, readEvents } from './rows-to-archive.ts';

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
