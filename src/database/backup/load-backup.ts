import pg from 'pg';
import { ConfigError } from '../../runtime/config.ts';
import { type Queryable, queryRow, queryRows, sql } from '../sql.ts';
import { hasCards } from '../vault/places.ts';
import type { BackupReader } from './backup-reader.ts';
import { copyIn } from './copy.ts';
import { copyStatement, isOfVault, quoted, type Table, tablesOf } from './tables.ts';

/**
 * Loads the rows of a backup into tables without rows, in one transaction: all of them or none. Triggers do not act on
 * them, and foreign keys are checked at the end. Cards go to the database of the vault, if there is one, in a
 * transaction of its own, which is committed first. Returns the number of rows.
 */
export async function loadBackup(
  ownerUrl: string,
  vaultOwnerUrl: string | null,
  reader: BackupReader,
): Promise<number> {
  const opened = new AsyncDisposableStack();
  try {
    const client = await begin(ownerUrl, opened);
    const vault = vaultOwnerUrl === null ? client : await begin(vaultOwnerUrl, opened);
    const tables = await tablesOf(client);
    const rows = await withoutConstraints(client, tables, () =>
      loadRows((table) => (isOfVault(table) ? vault : client), tables, reader),
    );
    if (vault !== client) await vault.query('COMMIT');
    await client.query('COMMIT');
    for (const one of new Set([client, vault])) await one.query('ANALYZE');
    return rows;
  } finally {
    // Without a commit, closing the connection rolls back.
    await opened.disposeAsync();
  }
}

async function begin(url: string, opened: AsyncDisposableStack): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'platform-restore' });
  client.on('error', () => {}); // the statement that uses a broken connection fails with the error
  await client.connect();
  opened.defer(() => client.end());
  await client.query('BEGIN');
  await client.query('SET LOCAL statement_timeout = 0');
  return client;
}

/** The tables that have rows which no migration writes: a restore would mix them with those of the backup. */
export async function hasTenants(database: Queryable): Promise<boolean> {
  const row = await queryRow<{ has: boolean }>(
    database,
    sql`SELECT EXISTS (SELECT FROM public.partners) OR EXISTS (SELECT FROM public.audit_rows) AS has`,
  );
  if (!row?.has && (await hasCards(database))) return true;
  return row?.has ?? false;
}

interface ForeignKey {
  schema: string;
  table: string;
  name: string;
  definition: string;
}

async function withoutConstraints(
  client: pg.Client,
  tables: readonly Table[],
  load: () => Promise<number>,
): Promise<number> {
  const keys = await queryRows<ForeignKey>(
    client,
    sql`
      SELECT n.nspname AS schema, c.relname AS table, k.conname AS name, pg_get_constraintdef(k.oid) AS definition
      FROM pg_constraint k
      JOIN pg_class c ON c.oid = k.conrelid
      JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE k.contype = 'f'`,
  );
  const each = (change: string): string =>
    tables.map(({ schema, name }) => `ALTER TABLE ${quoted(schema, name)} ${change}`).join(';');
  for (const { schema, table, name } of keys)
    await client.query(`ALTER TABLE ${quoted(schema, table)} DROP CONSTRAINT ${quoted(name)}`);
  await client.query(each('DISABLE TRIGGER USER'));
  // Rows that migrations write are in the backup as they were.
  await client.query(`TRUNCATE ${tables.map(({ schema, name }) => quoted(schema, name)).join(', ')}`);
  const rows = await load();
  await client.query(each('ENABLE TRIGGER USER'));
  for (const { schema, table, name, definition } of keys)
    await client.query(`ALTER TABLE ${quoted(schema, table)} ADD CONSTRAINT ${quoted(name)} ${definition}`);
  return rows;
}

async function loadRows(
  clientOf: (table: Pick<Table, 'schema'>) => pg.Client,
  tables: readonly Table[],
  reader: BackupReader,
): Promise<number> {
  let rows = 0;
  for (;;) {
    const line = await reader.line();
    if (line.startsWith('-- end: ')) {
      if (line !== `-- end: ${rows} rows`)
        throw new ConfigError(`The backup should have${line.slice('-- end:'.length)}, and ${rows} were read.`);
      return rows;
    }
    if (/^SELECT pg_catalog\.setval\('[^']+', \d+, true\);$/.test(line)) {
      await clientOf({ schema: 'public' }).query(line);
      continue;
    }
    const statement = line.replace(/;$/, '');
    // Only what this version itself would write is run: a backup is data and no program.
    const table = tables.find((known) => statement.startsWith(`COPY ${quoted(known.schema, known.name)} (`));
    const columns = table && [...statement.matchAll(/"((?:[^"]|"")+)"/g)].slice(2).map(([, name = '']) => name);
    if (!table || !columns || copyStatement({ ...table, columns }, 'FROM stdin') !== statement)
      throw new ConfigError(`The backup has rows for a table that this version has not: ${statement.slice(0, 200)}`);
    rows += await copyIn(clientOf(table), statement, reader.data());
  }
}
