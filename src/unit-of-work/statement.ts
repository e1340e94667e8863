import { empty, identifier, join, type Queryable, queryRows, type Sql, sql } from '../database/sql.ts';
import { withLockTimeout } from '../database/tenant-queue.ts';
import { toJson } from '../lib/json.ts';

/**
 * Runs one statement made of CTEs of the form "name AS (...)", which commits completely or not at all. Returns true if
 * the CTE `done` has a row. If `brief`, it waits for locks no longer than `lockWaitMs`.
 */
export async function commitParts(
  database: Queryable,
  parts: readonly Sql[],
  done: string,
  { brief = false } = {},
): Promise<boolean> {
  const rows = await queryRows(
    database,
    sql`
      WITH ${join(parts, ',\n')}
      SELECT 1
      FROM ${identifier(done)}
      ${brief ? sql`WHERE ${withLockTimeout}` : empty}`,
  );
  return rows.length > 0;
}

/**
 * As `commitParts`, for several changes. The rows of the CTE `done` are those of the changes that were made; returns
 * each change that was made, with its row. It waits for locks no longer than `lockWaitMs`.
 */
export async function commitPartsOf<Change, Row extends { id: string } = { id: string }>(
  database: Queryable,
  changes: readonly Change[],
  idOf: (change: Change) => string,
  parts: readonly Sql[],
  done: string,
): Promise<Map<Change, Row>> {
  const rows = await queryRows<Row>(
    database,
    sql`
      WITH ${join(parts, ',\n')}
      SELECT *
      FROM ${identifier(done)}
      WHERE ${withLockTimeout}`,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const made = new Map<Change, Row>();
  for (const change of changes) {
    const row = byId.get(idOf(change));
    if (row) made.set(change, row);
  }
  return made;
}

/** A row as a table of one row, named `r`, with the columns of `table`. */
export function recordOf(table: string, row: object): Sql {
  return sql`jsonb_populate_record(null::${identifier(table)}, ${toJson(row)}::jsonb) r`;
}

/** The assignments that copy these columns from the row `r`. */
export function assign(columns: readonly string[]): Sql {
  return join(
    columns.map((column) => sql`${identifier(column)} = r.${identifier(column)}`),
    ', ',
  );
}
