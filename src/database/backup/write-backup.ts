import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { ConfigError } from '../../runtime/config.ts';
import type { KeyChecks } from '../keys/key-checks.ts';
import { usedVaultKeys } from '../keys/used-keys.ts';
import { type Queryable, queryRow, queryRows, sql } from '../sql.ts';
import { assertPlace, placeIn } from '../vault/places.ts';
import { copyOut } from './copy.ts';
import { copyStatement, isOfVault, quoted, sequencesOf, tablesOf } from './tables.ts';

export const backupFormat = 'partner-payments-backup/1';

/** The first line of a backup. */
export interface Manifest {
  format: typeof backupFormat;
  version: string;
  takenAt: string;
  migrations: string[];
  /** Those of the database of the vault; absent if the cards were in that of everything else. */
  vaultMigrations?: string[];
  /** Checks of the keys without which the backup is of no use. None of the keys is in it. */
  keys: KeyChecks;
  /** The ids of the vault's keys that stored secrets need. */
  vaultKeysInUse: string[];
}

export interface WrittenBackup {
  manifest: Manifest;
  tables: number;
  rows: number;
}

interface About extends Pick<Manifest, 'version' | 'takenAt'> {
  /** The checks for the manifest. `used` are the ids of the vault's keys that stored secrets need. */
  keysOf(main: Queryable, used: readonly string[]): Promise<KeyChecks>;
}

/**
 * Writes every row of one moment to a compressed file of SQL: a comment with the manifest, and COPY with data for each
 * table. Servers may run meanwhile. The file is there when it is whole, readable by its owner only. Cards in a database
 * of their own are those of a moment after that of everything else: a card is stored before what refers to it, so no
 * instrument lacks its card.
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
    await assertNobodyMoves(main);
    assertPlace(await placeIn(main), vaultUrl);
    const vault = vaultUrl === null ? main : await openMoment(vaultUrl, opened);
    const used = [...(await usedVaultKeys(main, vault)).keys()];
    const manifest: Manifest = {
      format: backupFormat,
      ...about,
      migrations,
      ...(vaultUrl !== null && { vaultMigrations: await migrationsOf(vault) }),
      keys: await keysOf(main, used),
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

/** A connection whose first query decides which moment of the database it sees. */
async function openMoment(url: string, opened: AsyncDisposableStack): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'platform-backup' });
  client.on('error', () => {}); // the statement that uses a broken connection fails with the error
  await client.connect();
  opened.defer(() => client.end());
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  // COPY takes no parameters: its result must not depend on the settings of the role.
  await client.query("SET LOCAL statement_timeout = 0; SET LOCAL DateStyle = 'ISO'; SET LOCAL TimeZone = 'UTC'");
  return client;
}

/** The rows of a partner that is on its way to another cell are in neither. */
async function assertNobodyMoves(client: pg.Client): Promise<void> {
  const there = await queryRow(client, sql`SELECT 1 WHERE to_regclass('cells.moves') IS NOT NULL`);
  if (there === undefined) return;
  const moving = await queryRow<{ slug: string }>(client, sql`SELECT slug FROM cells.moves WHERE state = 'aside'`);
  if (moving !== undefined)
    throw new ConfigError(
      `The partner ${moving.slug} is being moved to another cell, and a backup would not contain it: finish or ` +
        'abandon the move first (docs/self-hosting/cells.md).',
    );
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
  ended.catch((error: unknown) => compressed.destroy(error as Error)); // a full disk ends the writing, too
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
