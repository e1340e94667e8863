import type pg from 'pg';
import { Prisma } from '../generated/prisma/client.ts';
import { statementName } from './statements.ts';

/**
 * SQL as tagged templates: `sql` puts every value in place as a parameter and takes other fragments whole, so that no
 * placeholder number is ever written by hand. `Prisma.TransactionClient.$queryRaw` takes the same fragments.
 */
export const { sql, join, raw, empty } = Prisma;
export type Sql = Prisma.Sql;

/** A pool or one of its clients. */
export type Queryable = Pick<pg.ClientBase, 'query'>;

/** Runs a statement under a name of its own, so that PostgreSQL parses it once a connection, and gives its rows. */
export async function queryRows<Row extends object>(database: Queryable, statement: Sql): Promise<Row[]> {
  return (await database.query<Row & pg.QueryResultRow>(configOf(statement))).rows;
}

/** The first row of a statement, or undefined when it gives none. */
export async function queryRow<Row extends object>(database: Queryable, statement: Sql): Promise<Row | undefined> {
  return (await queryRows<Row>(database, statement))[0];
}

/** Runs a statement and gives the number of rows that it changed. */
export async function execute(database: Queryable, statement: Sql): Promise<number> {
  return (await database.query(configOf(statement))).rowCount ?? 0;
}

function configOf({ text, values }: Sql): pg.QueryConfig {
  return { name: statementName(text), text, values };
}

/** A quoted identifier, such as a column that a list sorts by. Only for names from our own source. */
export function identifier(name: string): Sql {
  if (!/^[A-Za-z_][A-Za-z_0-9]*(\.[A-Za-z_][A-Za-z_0-9]*)?$/.test(name)) throw new Error(`${name} is no identifier.`);
  return raw(
    name
      .split('.')
      .map((part) => `"${part}"`)
      .join('.'),
  );
}

/** A fixed number written into the text, so that the planner knows it, such as a LIMIT that is always the same. */
export function constant(value: number): Sql {
  return raw(String(value));
}

/** Columns in double quotes and separated by commas, for a column list that is written once. */
export function columnList(columns: readonly string[]): Sql {
  return join(columns.map(identifier), ', ');
}
