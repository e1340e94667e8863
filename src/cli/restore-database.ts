import pg from 'pg';
import { makeTables } from '../adapters/embedded-idp/tables.ts';
import type { openBackup } from '../database/backup/backup-reader.ts';
import { hasTenants, loadBackup } from '../database/backup/load-backup.ts';
import { applyMigrations, missingMigrations } from '../database/migrate.ts';
import { migrationNames } from '../database/migration-files.ts';
import { queryRow, sql } from '../database/sql.ts';
import { type DatabaseUrls, prepareDatabase } from '../prepare-database.ts';
import { type Config, ConfigError } from '../runtime/config.ts';
import type { Log } from '../runtime/log.ts';

type Backup = Awaited<ReturnType<typeof openBackup>>;

/**
 * Makes the tables as they were when the backup was taken, loads it, and brings the database to this version. Returns
 * the number of rows.
 */
export async function restoreInto(
  config: Config,
  urls: DatabaseUrls,
  { manifest, reader }: Backup,
  log: Log,
): Promise<number> {
  const ownerUrl = urls.ownerUrl ?? urls.url;
  const unknown = manifest.migrations.find((name) => !migrationNames().includes(name));
  if (unknown !== undefined)
    throw new ConfigError(
      `The backup is of version ${manifest.version}, which has the migration ${unknown}: restore it with that version ` +
        'or a newer one.',
    );
  await assertEmpty(ownerUrl, manifest.migrations);
  await applyMigrations(ownerUrl, { only: manifest.migrations });
  if (config.identity.kind === 'embedded')
    await makeTables(ownerUrl, { ...config, secret: config.identity.secret, log });
  const rows = await loadBackup(ownerUrl, reader);
  await prepareDatabase(config, urls, log);
  return rows;
}

/** A database without tables, or with those of the backup's version and without rows, as after a restore that failed. */
async function assertEmpty(ownerUrl: string, migrations: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'platform-restore' });
  client.on('error', () => {}); // the statement that uses a broken connection fails with the error
  await client.connect();
  try {
    const row = await queryRow<{ has: boolean }>(
      client,
      sql`SELECT to_regclass('public._prisma_migrations') IS NOT NULL AS has`,
    );
    if (!row?.has) return;
    const missing = await missingMigrations(client);
    const later = migrationNames().filter((name) => !missing.includes(name) && !migrations.includes(name));
    if (later.length > 0 || (migrations.every((name) => !missing.includes(name)) && (await hasTenants(client))))
      throw new ConfigError(
        'The database already has tables of the platform: a backup is restored into a new, empty database.',
      );
  } finally {
    await client.end();
  }
}
