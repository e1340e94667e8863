import type pg from 'pg';
import { Fragment } from './sql-fragment.ts';
import { listStatementName, statementName } from './statements.ts';

const rawFragments = new Map<string, Fragment>();
const identifiers = new Map<string, Fragment>();
const separatorTexts = new Map<string, readonly string[]>();
const rememberedMax = 10_000;

/**
 * SQL as tagged templates: `sql` puts every value in place as a parameter and takes other fragments whole, so that no
 * placeholder number is ever written by hand. Prisma takes them too, as an argument.
 */
export type Sql = Fragment;

export function sql(texts: TemplateStringsArray, ...slots: readonly unknown[]): Sql {
  return new Fragment(texts, slots);
}

/** A constant text without values. Only for texts from our own source. */
export function raw(text: string): Sql {
  return remembered(rawFragments, text, () => new Fragment([text], []));
}

export const empty = raw('');

/** Fragments or values with a separator between them. Throws if there are none. */
export function join(slots: readonly unknown[], separator = ','): Sql {
  if (slots.length === 0) throw new Error('There is nothing to join.');
  return new Fragment(
    remembered(separatorTexts, `${slots.length}${separator}`, () => [
      '',
      ...Array.from<string>({ length: slots.length - 1 }).fill(separator),
      '',
    ]),
    slots,
  );
}

/** Equal constant texts are one object, by which the shape of a statement is known again. */
function remembered<Thing>(known: Map<string, Thing>, key: string, make: () => Thing): Thing {
  let thing = known.get(key);
  if (thing === undefined) {
    thing = make();
    if (known.size < rememberedMax) known.set(key, thing);
  }
  return thing;
}

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

/** Runs the statement of a list, whose filters combine into many texts, and gives its rows. */
export async function queryList<Row extends object>(database: Queryable, { text, values }: Sql): Promise<Row[]> {
  return (await database.query<Row & pg.QueryResultRow>({ name: listStatementName(text), text, values })).rows;
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
  // Before the closure: statements of writes name a hundred columns.
  const known = identifiers.get(name);
  if (known) return known;
  return remembered(identifiers, name, () => {
    if (!/^[A-Za-z_][A-Za-z_0-9]*(\.[A-Za-z_][A-Za-z_0-9]*)?$/.test(name)) throw new Error(`${name} is no identifier.`);
    return raw(
      name
        .split('.')
        .map((part) => `"${part}"`)
        .join('.'),
    );
  });
}

/** A fixed number written into the text, so that the planner knows it, such as a LIMIT that is always the same. */
export function constant(value: number): Sql {
  return raw(String(value));
}

/** Columns in double quotes and separated by commas, for a column list that is written once. */
export function columnList(columns: readonly string[]): Sql {
  return join(columns.map(identifier), ', ');
}
