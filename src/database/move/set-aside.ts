import type pg from 'pg';
import { copyStatement, quoted } from '../backup/backup.ts';
import { copyIn, copyOut } from '../backup/copy.ts';
import { queryRow, raw } from '../sql.ts';
import { fullName, type MovedPartner, type PartnerTable } from './partner-tables.ts';

/** Rows of a table, and a digest of them that does not depend on their order. */
export interface TableDigest {
  rows: number;
  digest: string;
}

/** The rows of a partner in a schema of their own: one table for each table that has some. */
export interface Aside {
  schema: string;
  tables: readonly PartnerTable[];
}

/**
 * Begins a transaction in which foreign keys and triggers do not act on the rows that are moved. This takes the right
 * to set `session_replication_role`.
 */
export async function beginMove(client: pg.Client): Promise<void> {
  await client.query('BEGIN');
  await client.query('SET LOCAL session_replication_role = replica');
}

export async function makeTables(client: pg.Client, { schema, tables }: Aside): Promise<void> {
  await client.query(`CREATE SCHEMA ${quoted(schema)}`);
  for (const table of tables)
    await client.query(
      `CREATE TABLE ${tableAside(schema, table)} AS SELECT ${columnsOf(table)} FROM ${tableOf(table)} WHERE false`,
    );
}

/**
 * Takes the rows of a partner out of the tables and returns how many. Rows that depend on these are found after them.
 */
export async function takeRows(client: pg.Client, { schema, tables }: Aside, partnerId: string): Promise<number> {
  const partner: MovedPartner = {
    id: client.escapeLiteral(partnerId),
    aside: (name) => quoted(schema, name),
  };
  let taken = 0;
  for (const table of tables) {
    const { rowCount } = await client.query(`
      WITH taken AS (DELETE FROM ${tableOf(table)} t WHERE ${table.rowsOf(partner)} RETURNING t.*)
      INSERT INTO ${tableAside(schema, table)} (${columnsOf(table)}) SELECT ${columnsOf(table)} FROM taken`);
    taken += rowCount ?? 0;
  }
  return taken;
}

/** Puts the rows that are set aside into the tables. */
export async function putRows(client: pg.Client, { schema, tables }: Aside): Promise<void> {
  for (const table of tables)
    await client.query(
      `INSERT INTO ${tableOf(table)} (${columnsOf(table)}) ` +
        `SELECT ${columnsOf(table)} FROM ${tableAside(schema, table)}`,
    );
}

/** Copies what is set aside in one database to the schema of the same tables in another. */
export async function copyRows(source: pg.Client, from: Aside, target: pg.Client, to: Aside): Promise<void> {
  for (const table of to.tables) {
    const name = fullName(table);
    const { columns } = table;
    const chunks = passOn();
    const sent = copyOut(source, copyStatement({ schema: from.schema, name, columns }, 'TO STDOUT'), chunks.push).then(
      chunks.end,
      chunks.fail,
    );
    await copyIn(target, copyStatement({ schema: to.schema, name, columns }, 'FROM stdin'), chunks.taken());
    await sent;
  }
}

export async function digestsOf(client: pg.Client, { schema, tables }: Aside): Promise<Record<string, TableDigest>> {
  const digests: Record<string, TableDigest> = {};
  for (const table of tables) {
    const row = await queryRow<TableDigest>(
      client,
      raw(`
        SELECT count(*)::float8 AS rows,
          coalesce(sum(('x' || left(md5(t::text), 16))::bit(64)::bigint), 0)::text AS digest
        FROM ${tableAside(schema, table)} t`),
    );
    if (row) digests[fullName(table)] = row;
  }
  return digests;
}

function tableOf({ schema, name }: PartnerTable): string {
  return quoted(schema, name);
}

/** The quoted name of the table that has the rows of another which are set aside. */
export function tableAside(schema: string, table: PartnerTable): string {
  return quoted(schema, fullName(table));
}

function columnsOf({ columns }: PartnerTable): string {
  return columns.map((column) => quoted(column)).join(', ');
}

/** Chunks that one side pushes and the other takes; a push waits until its chunk was taken. */
function passOn() {
  const { readable, writable } = new TransformStream<Buffer, Buffer>();
  const writer = writable.getWriter();
  return {
    push: (chunk: Buffer) => writer.write(chunk),
    end: () => writer.close(),
    fail: async (error: unknown): Promise<never> => {
      await writer.abort(error);
      throw error;
    },
    taken: () => readable.values(),
  };
}
