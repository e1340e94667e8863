import { recordset } from '../database/recordset.ts';
import { identifier, join, type Queryable, queryRows, type Sql, sql } from '../database/sql.ts';
import { toJson } from '../kit/json.ts';

/**
 * Runs one statement made of CTEs of the form "name AS (...)", which commits whole or not at all. Returns true if the
 * CTE `done` has a row.
 */
export async function commitParts(database: Queryable, parts: readonly Sql[], done: string): Promise<boolean> {
  const rows = await queryRows(
    database,
    sql`
      WITH ${join(parts, ',\n')}
      SELECT 1
      FROM ${identifier(done)}`,
  );
  return rows.length > 0;
}

/** As `commitParts`, for several changes. Returns the ids in the CTE `done`: those of the changes that were made. */
export async function commitPartsOf(database: Queryable, parts: readonly Sql[], done: string): Promise<Set<string>> {
  const rows = await queryRows<{ id: string }>(
    database,
    sql`
      WITH ${join(parts, ',\n')}
      SELECT id
      FROM ${identifier(done)}`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** A row as a table of one row, named `r`, with the columns of `table`. */
export function rowOf(table: string, row: object): Sql {
  return sql`jsonb_populate_record(null::${identifier(table)}, ${toJson(row)}::jsonb) r`;
}

/** The assignments that copy these columns from the row `r`. */
export function assign(columns: readonly string[]): Sql {
  return join(
    columns.map((column) => sql`${identifier(column)} = r.${identifier(column)}`),
    ', ',
  );
}

/** Stores the answer of the call in progress whose idempotency record names this subject. */
export function answerRunning(answer: unknown, subjectId: string): Sql {
  return sql`
    UPDATE idempotency_records
    SET answer = ${toJson(answer)}::json
    WHERE "subjectId" = ${subjectId} AND answer IS NULL`;
}

/** As `answerRunning`, for the subjects in the CTE `guard`. */
export function answersRunning(answers: readonly { subjectId: string; answer: unknown }[], guard: string): Sql {
  return sql`
    UPDATE idempotency_records t
    SET answer = n.answer
    FROM ${identifier(guard)} g
    JOIN ${recordset('n', { subjectId: 'text', answer: 'json' }, 'subjectId', answers)} ON n."subjectId" = g.id
    WHERE t."subjectId" = n."subjectId" AND t.answer IS NULL`;
}
