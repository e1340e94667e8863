import type pg from 'pg';
import type { Visibility } from '../auth/tenancy.ts';
import { readFromReplica } from '../database/replica.ts';
import { constant, identifier, queryList, queryRow, sql } from '../database/sql.ts';
import { assertFiltersIndexed, filterConditions, type ListDefinition, pageStatement, rowsWhere } from './read-list.ts';

/** The order in which all rows of a list are read. */
export interface RowOrder {
  /** A column that has an index together with `id`, and whose value in a row does not change. */
  column: string;
  direction: 'asc' | 'desc';
}

/**
 * Reads all rows of a list, in batches of `batch` rows. Each batch is a separate statement that begins after the last
 * row of the previous one: nothing is locked between them, no row is read twice, and a row that existed before the
 * first batch and is not deleted is always read. Filters see each row as it is when its batch is read.
 */
export async function* readRows<Row extends { id: string }, Filters extends object>(
  pool: pg.Pool,
  visibility: Visibility,
  list: ListDefinition<Filters>,
  { filters, order, batch }: { filters: Filters; order: RowOrder; batch: number },
): AsyncGenerator<Row[], void> {
  const conditions = filterConditions(list, filters);
  let after: { value: unknown; id: string } | null = null;
  for (;;) {
    const statement = pageStatement(list, {
      visibility,
      filters: conditions,
      after,
      sort: order,
      limit: batch,
      offset: 0,
      withTotal: false,
    });
    const rows: Row[] = await readFromReplica(pool, replicaOf(visibility), (source) =>
      queryList<Row>(source, statement),
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < batch) return;
    after = { value: (last as Row & Record<string, unknown>)[order.column], id: last.id };
  }
}

/** Counts the rows of a list, up to `max`. Rejects a filter that has no index over the rows of all partners. */
export async function countRows<Filters extends object>(
  pool: pg.Pool,
  visibility: Visibility,
  list: ListDefinition<Filters>,
  { filters, max }: { filters: Filters; max: number },
): Promise<number> {
  assertFiltersIndexed(list, visibility, filters);
  const where = rowsWhere(list, visibility, filterConditions(list, filters));
  const statement = sql`
    SELECT count(*)::int AS n
    FROM (SELECT 1 FROM ${identifier(list.table)} t WHERE ${where} LIMIT ${constant(max)}) counted`;
  const counted = await readFromReplica(pool, replicaOf(visibility), (source) =>
    queryRow<{ n: number }>(source, statement),
  );
  return counted?.n ?? 0;
}

function replicaOf(visibility: Visibility) {
  return 'replica' in visibility ? visibility.replica : null;
}
