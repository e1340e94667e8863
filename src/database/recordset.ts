import { toJson } from '../lib/json.ts';
import { identifier, raw, type Sql, sql } from './sql.ts';

/*
 * Rows of a batch as a table of a statement, sent as one JSON text. The planner estimates 100 rows for a function, and
 * while a table is small it would plan a sequential scan of it, a plan that is kept while the table grows. A condition
 * that is always true makes it estimate one row, so that every join to a table uses its index.
 */

/** The types of the columns of a recordset, by name. */
export type Columns = Readonly<Record<string, string>>;

/** Rows with these columns, as the table `alias`. `key` names a text column that is never null. */
export function recordset(alias: string, columns: Columns, key: string, rows: readonly object[]): Sql {
  return expectFewRows(alias, key, sql`json_to_recordset(${toJson(rows)}::json) AS r(${definitionsOf(columns)})`);
}

const definitions = new WeakMap<Columns, Sql>();

/** Built once for columns that are a constant of a module. */
function definitionsOf(columns: Columns): Sql {
  let known = definitions.get(columns);
  if (known === undefined) {
    const each = Object.entries(columns).map(([name, type]) => `${identifier(name).text} ${type}`);
    known = raw(each.join(', '));
    definitions.set(columns, known);
  }
  return known;
}

/** Rows with the columns of `table`, as the table `alias`. */
export function rowsOf(alias: string, table: string, rows: readonly object[], key = 'id'): Sql {
  return expectFewRows(alias, key, sql`json_populate_recordset(null::${identifier(table)}, ${toJson(rows)}::json) r`);
}

function expectFewRows(alias: string, key: string, rows: Sql): Sql {
  return sql`(SELECT r.* FROM ${rows} WHERE r.${identifier(key)} = r.${identifier(key)} || '') ${identifier(alias)}`;
}
