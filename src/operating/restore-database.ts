import type pg from 'pg';
import { makeTables } from '../adapters/embedded-idp/tables.ts';
import { hasTenants, loadBackup } from '../database/backup/backup.ts';
import type { openBackup } from '../database/backup/backup-reader.ts';
import { withClient } from '../database/client.ts';
import { applyMigrations, migrationNames, missingMigrations } from '../database/migrate.ts';
import { queryRow, sql } from '../database/sql.ts';
import { acceptVault, hasCards, installationIn, placeIn } from '../database/vault/vault-database.ts';
import type { Log } from '../observability/log.ts';
import { type Config, ConfigError } from '../settings/config.ts';
import { type DatabaseUrls, prepareDatabase, prepareMain } from './prepare-database.ts';
import { asOwner, ownerOf, prepareVaultDatabase, setVaultApart, vaultOwnerOf } from './prepare-vault.ts';

type Backup = Awaited<ReturnType<typeof openBackup>>;

/**
 * Creates the tables of the backup's version, loads the backup, and brings the database to this version. The keys of
 * the settings become those of the database; data that only earlier keys open is given up if the operator restores
 * without them. Returns the number of rows.
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
      `The backup is of version ${manifest.version}, which has the migration ${unknown}: restore it with that ` +
        'version or a newer one.',
    );
  await assertEmpty(ownerUrl, manifest.migrations);
  const { vaultDatabase } = config;
  if (vaultDatabase !== null) {
    await prepareVaultDatabase(config, vaultDatabase, log, manifest.vaultMigrations);
    await asOwner(...vaultOwnerOf(vaultDatabase), assertFree);
  }
  await applyMigrations(ownerUrl, { only: manifest.migrations });
  if (config.identity.kind === 'embedded')
    await makeTables(ownerUrl, { ...config, secret: config.identity.secret, log });
  const vaultOwnerUrl = vaultDatabase === null ? null : (vaultDatabase.ownerUrl ?? vaultDatabase.url);
  const rows = await loadBackup(ownerUrl, vaultOwnerUrl, reader);
  await prepareMain(config, urls, log, 'restore');
  if (vaultDatabase !== null)
    await asOwner(...ownerOf(urls), async (main) => {
      const { installationId } = await placeIn(main);
      await asOwner(...vaultOwnerOf(vaultDatabase), (vault) => acceptVault(vault, installationId));
      await setVaultApart(main);
    });
  await prepareDatabase(config, urls, log, 'restore');
  return rows;
}

/**
 * Throws if the vault's database may have cards of another installation: cards that no row of the backup refers to
 * would be removed.
 */
async function assertFree(vault: pg.Client): Promise<void> {
  if ((await installationIn(vault)) !== null || (await hasCards(vault)))
    throw new ConfigError(
      'The database of VAULT_DATABASE_URL already has cards, or is that of an installation: a backup is restored ' +
        'into new, empty databases.',
    );
}

/** Throws unless a database has no tables, or those of the backup's version without rows, as after a failed restore. */
async function assertEmpty(ownerUrl: string, migrations: readonly string[]): Promise<void> {
  await withClient(ownerUrl, 'platform-restore', async (client) => {
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
  });
}
