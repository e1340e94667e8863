import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { ConfigError } from '../../runtime/config.ts';
import { queryRows, sql } from '../sql.ts';
import { copyOut } from './copy.ts';
import type { KeyChecks } from './key-checks.ts';
import { copyStatement, quoted, sequencesOf, tablesOf } from './tables.ts';
import { usedVaultKeys } from './used-keys.ts';

export const backupFormat = 'partner-payments-backup/1';

/** The first line of a backup. */
export interface Manifest {
  format: typeof backupFormat;
  version: string;
  takenAt: string;
  migrations: string[];
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

/**
 * Writes every row of one moment to a compressed file of SQL: a comment with the manifest, and COPY with data for each
 * table. Servers may run meanwhile. The file is there when it is whole, readable by its owner only.
 */
export async function writeBackup(
  url: string,
  file: string,
  about: Pick<Manifest, 'version' | 'takenAt' | 'keys'>,
): Promise<WrittenBackup> {
  const client = new pg.Client({ connectionString: url, application_name: 'platform-backup' });
  client.on('error', () => {}); // the statement that uses a broken connection fails with the error
  await client.connect();
  const draft = `${file}.part`;
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // COPY takes no parameters: its result must not depend on the settings of the role.
    await client.query("SET LOCAL statement_timeout = 0; SET LOCAL DateStyle = 'ISO'; SET LOCAL TimeZone = 'UTC'");
    const written = await writeRows(client, draft, about);
    await client.query('COMMIT');
    await rename(draft, file);
    return written;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await client.end();
  }
}

async function writeRows(
  client: pg.Client,
  draft: string,
  about: Pick<Manifest, 'version' | 'takenAt' | 'keys'>,
): Promise<WrittenBackup> {
  const migrations = await queryRows<{ name: string }>(
    client,
    sql`SELECT migration_name AS name FROM public._prisma_migrations WHERE finished_at IS NOT NULL ORDER BY 1`,
  ).catch((error: unknown) => {
    throw new ConfigError('The database has no tables of the platform, so there is nothing to back up.', {
      cause: error,
    });
  });
  const manifest: Manifest = {
    format: backupFormat,
    ...about,
    migrations: migrations.map(({ name }) => name),
    vaultKeysInUse: [...(await usedVaultKeys(client)).keys()],
  };
  const compressed = createGzip();
  const file = createWriteStream(draft, { mode: 0o600, flags: 'w' });
  const ended = finished(compressed.pipe(file));
  ended.catch((error: unknown) => compressed.destroy(error as Error)); // a full disk ends the writing, too
  const write = async (chunk: Buffer | string): Promise<void> => {
    if (!compressed.write(chunk)) await Promise.race([once(compressed, 'drain'), ended]);
  };
  await write(`-- ${JSON.stringify(manifest)}\n`);
  let rows = 0;
  const tables = await tablesOf(client);
  for (const table of tables) {
    await write(`${copyStatement(table, 'FROM stdin')};\n`);
    rows += await copyOut(client, copyStatement(table, 'TO STDOUT'), write);
    await write('\\.\n');
  }
  for (const { schema, name, lastValue } of await sequencesOf(client))
    if (lastValue !== null)
      await write(`SELECT pg_catalog.setval('${quoted(schema, name)}', ${BigInt(lastValue)}, true);\n`);
  await write(`-- end: ${rows} rows\n`);
  compressed.end();
  await ended;
  return { manifest, tables: tables.length, rows };
}
