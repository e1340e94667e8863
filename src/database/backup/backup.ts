import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import { ConfigError } from '../../settings/config.ts';
import { openClient } from '../client.ts';
import { usedVaultKeys } from '../keys/used-keys.ts';
import { type Queryable, queryRow, queryRows, sql } from '../sql.ts';
import { assertPlace, hasCards, placeIn } from '../vault/vault-database.ts';
import type { BackupReader } from './backup-reader.ts';
import { copyIn, copyOut } from './copy.ts';

/** A table whose rows a backup contains, and its stored columns. */
export interface Table {
  schema: string;
  name: string;
  columns: string[];
}

interface Sequence {
  schema: string;
  name: string;
  /** Null when it was not used yet. */
  lastValue: string | null;
}

/**
 * Every table of the database, sorted by name, except the ones that a restore writes itself (the record of migrations
 * and the place of the cards) and unlogged tables.
 */
export function tablesOf(database: Queryable): Promise<Table[]> {
  return queryRows<Table>(
    database,
    sql`
      SELECT n.nspname AS schema, c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
      FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
      WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND n.nspname NOT LIKE 'pg\\_%'
        AND n.nspname <> 'information_schema' AND c.relname <> '_prisma_migrations'
        AND NOT (n.nspname = 'vault' AND c.relname IN ('place', 'installation'))
      GROUP BY n.nspname, c.relname
      ORDER BY n.nspname, c.relname`,
  );
}

function sequencesOf(database: Queryable): Promise<Sequence[]> {
  return queryRows<Sequence>(
    database,
    sql`
      SELECT schemaname AS schema, sequencename AS name, last_value::text AS "lastValue"
      FROM pg_sequences
      WHERE schemaname NOT LIKE 'pg\\_%' AND schemaname <> 'information_schema'
      ORDER BY 1, 2`,
  );
}

/** Whether the rows of a table are in the database of the vault, if there is a separate one. */
function isOfVault({ schema }: Pick<Table, 'schema'>): boolean {
  return schema === 'vault';
}

function quoted(...names: readonly string[]): string {
  return names.map((name) => `"${name.replaceAll('"', '""')}"`).join('.');
}

function copyStatement({ schema, name, columns }: Table, direction: 'FROM stdin' | 'TO STDOUT'): string {
  return `COPY ${quoted(schema, name)} (${columns.map((column) => quoted(column)).join(', ')}) ${direction}`;
}

export const backupFormat = 'partner-payments-backup/1';

/** The first line of a backup. */
export interface Manifest {
  format: typeof backupFormat;
  version: string;
  takenAt: string;
  migrations: string[];
  /** The migrations of the database of the vault; absent if the cards were in the main database. */
  vaultMigrations?: string[];
  /** Checks of the keys of the database, of which none can be computed from its check. */
  keys: KeyOfBackup[];
  /** The ids of the vault's keys that stored secrets need. */
  vaultKeysInUse: string[];
}

interface KeyOfBackup {
  setting: string;
  keyId: string;
  check: string;
  state: string;
}

export interface WrittenBackup {
  manifest: Manifest;
  tables: number;
  rows: number;
}

interface About extends Pick<Manifest, 'version' | 'takenAt'> {
  /** The checks for the manifest. */
  keysOf(main: Queryable): Promise<KeyOfBackup[]>;
}

/**
 * Writes every row, as of one snapshot, to a compressed file of SQL: a comment with the manifest, and COPY with data
 * for each table. Servers may run meanwhile. The file appears when it is complete, readable by its owner only. If the
 * vault has a separate database, its snapshot is later than that of the main database: a card is stored before the rows
 * that refer to it, so no instrument lacks its card.
 */
export async function writeBackup(
  { url, vaultUrl }: { url: string; vaultUrl: string | null },
  file: string,
  { keysOf, ...about }: About,
): Promise<WrittenBackup> {
  const opened = new AsyncDisposableStack();
  const draft = `${file}.part`;
  try {
    const main = await openMoment(url, opened);
    const migrations = await migrationsOf(main);
    assertPlace(await placeIn(main), vaultUrl);
    const vault = vaultUrl === null ? main : await openMoment(vaultUrl, opened);
    const used = [...(await usedVaultKeys(main, vault)).keys()];
    const manifest: Manifest = {
      format: backupFormat,
      ...about,
      migrations,
      ...(vaultUrl !== null && { vaultMigrations: await migrationsOf(vault) }),
      keys: await keysOf(main),
      vaultKeysInUse: used,
    };
    const written = await writeRows(main, vault, draft, manifest);
    await rename(draft, file);
    return written;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await opened.disposeAsync();
  }
}

/** A connection whose first query takes its snapshot of the database. */
async function openMoment(url: string, opened: AsyncDisposableStack): Promise<pg.Client> {
  const client = await openClient(url, 'platform-backup');
  opened.defer(() => client.end());
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  // The result of COPY, which takes no parameters, must not depend on the settings of the role.
  await client.query("SET LOCAL statement_timeout = 0; SET LOCAL DateStyle = 'ISO'; SET LOCAL TimeZone = 'UTC'");
  return client;
}

async function migrationsOf(client: pg.Client): Promise<string[]> {
  const migrations = await queryRows<{ name: string }>(
    client,
    sql`SELECT migration_name AS name FROM public._prisma_migrations WHERE finished_at IS NOT NULL ORDER BY 1`,
  ).catch((error: unknown) => {
    throw new ConfigError('The database has no tables of the platform, so there is nothing to back up.', {
      cause: error,
    });
  });
  return migrations.map(({ name }) => name);
}

async function writeRows(main: pg.Client, vault: pg.Client, draft: string, manifest: Manifest): Promise<WrittenBackup> {
  const compressed = createGzip();
  const file = createWriteStream(draft, { mode: 0o600, flags: 'w' });
  const ended = finished(compressed.pipe(file));
  ended.catch((error: unknown) => compressed.destroy(error as Error)); // a full disk ends the writing as well
  const write = async (chunk: Buffer | string): Promise<void> => {
    if (!compressed.write(chunk)) await Promise.race([once(compressed, 'drain'), ended]);
  };
  await write(`-- ${JSON.stringify(manifest)}\n`);
  let rows = 0;
  const tables = await tablesOf(main);
  for (const table of tables) {
    await write(`${copyStatement(table, 'FROM stdin')};\n`);
    rows += await copyOut(isOfVault(table) ? vault : main, copyStatement(table, 'TO STDOUT'), write);
    await write('\\.\n');
  }
  for (const { schema, name, lastValue } of await sequencesOf(main))
    if (lastValue !== null)
      await write(`SELECT pg_catalog.setval('${quoted(schema, name)}', ${BigInt(lastValue)}, true);\n`);
  await write(`-- end: ${rows} rows\n`);
  compressed.end();
  await ended;
  return { manifest, tables: tables.length, rows };
}

/**
 * Loads the rows of a backup into empty tables, in one transaction: all or none. Triggers do not fire, and foreign keys
 * are checked at the end. If the vault has a separate database, cards go there, in a transaction that is committed
 * first. Returns the number of rows.
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
  const client = await openClient(url, 'platform-restore');
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
    // Only the statements that this version itself would write are run: a backup is data and not a program.
    const table = tables.find((known) => statement.startsWith(`COPY ${quoted(known.schema, known.name)} (`));
    const columns = table && [...statement.matchAll(/"((?:[^"]|"")+)"/g)].slice(2).map(([, name = '']) => name);
    if (!table || !columns || copyStatement({ ...table, columns }, 'FROM stdin') !== statement)
      throw new ConfigError(`The backup has rows for a table that this version has not: ${statement.slice(0, 200)}`);
    rows += await copyIn(clientOf(table), statement, reader.data());
  }
}
