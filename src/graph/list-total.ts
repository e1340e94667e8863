import { tenantCondition, type Visibility } from '../auth/tenancy.ts';
import { constant, identifier, raw, type Sql, sql } from '../database/sql.ts';

/**
 * How far the rows that match are counted for people, whose lists span every partner: the next number means "more". A
 * key's total is exact, and so is one that is kept.
 */
export const countedMax = 10_000;

/** The total: from a counter that the transactions adding rows maintain, or counted. */
export function totalOf(list: { table: string }, visibility: Visibility, where: Sql, isKept: boolean): Sql {
  const rows = sql`FROM ${identifier(list.table)} t WHERE ${where}`;
  if (!isKept && (visibility.kind === 'operator' || visibility.kind === 'whole'))
    return sql`(SELECT count(*) FROM (SELECT 1 ${rows} LIMIT ${constant(countedMax + 1)}) c)`;
  if (!isKept) return sql`(SELECT count(*) ${rows})`;
  return sql`(
      SELECT coalesce(sum(t.n), 0)::bigint
      FROM counters.row_counts t
      WHERE t.relation = ${raw(`'${list.table}'`)} AND ${tenantCondition(visibility)}
    )`;
}

/** The number of rows of the CTE `page`, if it has fewer than it may; a total otherwise, which is not counted before. */
export function unlessShort(total: Sql, limit: number): Sql {
  const found = sql`(SELECT count(*) FROM page)`;
  return sql`CASE WHEN ${found} < ${constant(limit)} THEN ${found} ELSE ${total} END`;
}
