import { ConfigError } from '../runtime/config.ts';
import { execute, type Queryable, queryRow, sql } from './sql.ts';

/** Stores at the first start to which cell a database belongs, and refuses every later start with another tag. */
export async function keepOwnCell(database: Queryable, tag: string): Promise<void> {
  await execute(
    database,
    sql`
      INSERT INTO cells.own (tag)
      VALUES (${tag})
      ON CONFLICT DO NOTHING`,
  );
  const own = await queryRow<{ tag: string }>(database, sql`SELECT tag FROM cells.own`);
  if (own === undefined || own.tag === tag) return;
  const [belongs, remedy] = own.tag === '' ? ['without a tag', 'unset CELL'] : [`"${own.tag}"`, `set CELL=${own.tag}`];
  throw new ConfigError(
    `The database belongs to the cell ${belongs}, and CELL is ${tag === '' ? 'not set' : `"${tag}"`}: ${remedy}, or ` +
      'use the database of the other cell. The tag of a cell cannot change, since its keys carry it ' +
      '(docs/self-hosting/cells.md).',
  );
}
