import type pg from 'pg';
import type { ScopeMap } from '../../auth/scopes.ts';
import type { Visibility } from '../../auth/tenancy.ts';
import { empty, join, type Sql, sql } from '../../database/sql.ts';
import { countRows, type RowOrder, readRows } from '../../graph/list-rows.ts';
import type { ListDefinition } from '../../graph/lists.ts';

type ExportedRow = Readonly<Record<string, unknown>> & { id: string };

/** A list that can be exported: who may, what a row contains, and how rows are counted and read. */
export interface ExportKind {
  /** The scope of the list itself. */
  scope: ScopeMap;
  /** The names of the columns, which are those of the rows. */
  columns: readonly string[];
  count(pool: pg.Pool, visibility: Visibility, filters: object, max: number): Promise<number>;
  read(pool: pg.Pool, visibility: Visibility, filters: object): AsyncGenerator<ExportedRow[], void>;
}

interface Definition<Filters extends object> {
  scope: ScopeMap;
  list(visibility: Visibility): ListDefinition<Filters>;
  columns: readonly string[];
  /** What a row shows of other tables. */
  shows?: readonly Shown[];
  /** Default: newest first. */
  order?: RowOrder;
}

/** Columns of another table, and the join that they come from. */
export interface Shown {
  columns: Sql;
  join: Sql;
}

/** Enough to make the statements few, and a few hundred kilobytes at most. */
const rowsOfBatch = 500;
const newestFirst: RowOrder = { column: 'createdAt', direction: 'desc' };

export function exportKind<Filters extends object>(definition: Definition<Filters>): ExportKind {
  const { scope, columns, order = newestFirst } = definition;
  // The graph has checked the filters of a list against the type of that list.
  const own = (filters: object) => filters as Filters;
  return {
    scope,
    columns,
    count: (pool, visibility, filters, max) =>
      countRows(pool, visibility, definition.list(visibility), { filters: own(filters), max }),
    read: (pool, visibility, filters) =>
      readRows(pool, visibility, shownList(definition, visibility), {
        filters: own(filters),
        order,
        batch: rowsOfBatch,
      }),
  };
}

/** The list with every column of its table, and those of other tables instead of what its pages show. */
function shownList<Filters extends object>(
  { list, shows = [] }: Definition<Filters>,
  visibility: Visibility,
): ListDefinition<Filters> {
  const { columns: _columns, extra: _extra, ...rest } = list(visibility);
  if (shows.length === 0) return rest;
  return {
    ...rest,
    extra: {
      columns: join(shows.map(({ columns }) => columns)),
      joins: shows.reduce((joins, { join: one }) => sql`${joins} ${one}`, empty),
    },
  };
}
