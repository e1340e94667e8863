import { inBatches } from './in-batches.ts';
import { constant, execute, type Queryable, type Sql, sql } from './sql.ts';

const batchMax = 10_000;

/**
 * Deletes the rows of a table for which a condition holds, those with the lowest `by` first and some thousand in a
 * statement, and returns their number. Rows that others have locked are passed over, so that none of them keeps the rest:
 * the next run finds them.
 */
export function removeUnlocked(
  database: Queryable,
  { table, by, where }: { table: Sql; by: Sql; where: Sql },
  stopping?: AbortSignal,
): Promise<number> {
  const remove = sql`
    DELETE FROM ${table}
    WHERE ctid = ANY(ARRAY(
      SELECT ctid
      FROM ${table}
      WHERE ${where}
      ORDER BY ${by}
      LIMIT ${constant(batchMax)}
      FOR UPDATE SKIP LOCKED
    ))`;
  return inBatches(batchMax, () => execute(database, remove), stopping);
}
