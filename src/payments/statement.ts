import type pg from 'pg';
import { toJson } from '../kit/records.ts';
import { statementName } from '../kit/statements.ts';

/** One statement made of parts, each a CTE: it commits whole or not at all. */
export function statement() {
  const values: unknown[] = [];
  const parts: string[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  /** A row of a table as a table of one row named `r`. */
  const row = (table: string, of: object) => `jsonb_populate_record(null::${table}, ${bind(toJson(of))}::jsonb) r`;
  /** Runs the parts; true when the part named `done` found its row. */
  const commit = async (database: Pick<pg.ClientBase, 'query'>, done: string): Promise<boolean> => {
    const text = `WITH ${parts.join(',\n')}\nSELECT 1 FROM ${done}`;
    const { rows } = await database.query({ name: statementName(text), text, values });
    return rows.length > 0;
  };
  return { parts, bind, row, commit };
}

/** The assignments that take these columns over from the row `r`. */
export function assign(columns: readonly string[]): string {
  return columns.map((column) => `"${column}" = r."${column}"`).join(', ');
}

/** Stores the answer of the call that waits for it; the subject is what the call began. */
export function answerRunning(answer: string, subjectId: string): string {
  return `UPDATE idempotency_records SET answer = ${answer}::json WHERE "subjectId" = ${subjectId} AND answer IS NULL`;
}
