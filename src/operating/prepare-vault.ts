import type pg from 'pg';
import { connectTo } from '../database/errors.ts';
import {
  appliedMigrations,
  applyMigrations,
  migrationNames,
  missingMigrations,
  vaultMigrationsDir,
} from '../database/migrate.ts';
import { grantServerRole, ownsTables } from '../database/server-role.ts';
import { inTransaction } from '../database/transaction.ts';
import {
  assertMine,
  assertPlace,
  bindVault,
  cardsAreWithin,
  hasCards,
  type Place,
  placeIn,
  setApart,
} from '../database/vault/vault-database.ts';
import type { VaultConnection } from '../keys/checks.ts';
import { isAbsence } from '../lib/outage.ts';
import type { Log } from '../observability/log.ts';
import { type Config, ConfigError, type VaultDatabaseConfig } from '../settings/config.ts';
import type { DatabaseUrls } from './prepare-database.ts';

/**
 * Brings the database of `VAULT_DATABASE_URL` to this version, assigns it to a new installation for its cards, and runs
 * work with a connection to it, or with null if there is none. Throws if the cards are elsewhere. If the cards are in
 * it, it may be unavailable: a server works without it.
 */
export async function withVaultDatabase(
  config: Config,
  urls: DatabaseUrls,
  log: Log,
  work: (vault: VaultConnection) => Promise<void>,
): Promise<void> {
  const { vaultDatabase } = config;
  return asOwner(...ownerOf(urls), async (main) => {
    const place = await placeIn(main);
    if (vaultDatabase === null) {
      assertPlace(place, null);
      return work(null);
    }
    try {
      await prepareVaultDatabase(config, vaultDatabase, log);
    } catch (error) {
      if (!place.isApart || !isAbsence(error)) throw error;
      log.warn(
        { err: error },
        'The vault database is unavailable. Until it is available again, calls that need a card are 503.',
      );
      return work('unavailable');
    }
    try {
      await asOwner(...vaultOwnerOf(vaultDatabase), async (vault) => {
        await recordVault(main, vault, place);
        await work(vault);
      });
    } catch (error) {
      if ((error as { code?: string }).code !== '42501') throw error;
      throw new ConfigError(
        'The role of DATABASE_URL or VAULT_DATABASE_URL may not change where the cards are; run `platform migrate` ' +
          'with MIGRATION_DATABASE_URL and VAULT_MIGRATION_DATABASE_URL first.',
        { cause: error },
      );
    }
  });
}

/** The setting of the role that owns the tables of the vault's database, and its URL. */
export function vaultOwnerOf({ url, ownerUrl }: VaultDatabaseConfig): [setting: string, url: string] {
  return ownerUrl === null ? ['VAULT_DATABASE_URL', url] : ['VAULT_MIGRATION_DATABASE_URL', ownerUrl];
}

/** The same for the main database. */
export function ownerOf({ url, ownerUrl }: DatabaseUrls): [setting: string, url: string] {
  return ownerUrl === null ? ['DATABASE_URL', url] : ['MIGRATION_DATABASE_URL', ownerUrl];
}

/** Runs work on a connection for a start or a command. */
export async function asOwner<Result>(
  setting: string,
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = await connectTo(setting, url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Applies its migrations and grants the rights of the server's role. */
export async function prepareVaultDatabase(
  { allowNewerDatabase }: Pick<Config, 'allowNewerDatabase'>,
  config: VaultDatabaseConfig,
  log: Log,
): Promise<void> {
  const [setting, url] = vaultOwnerOf(config);
  const mayMigrate = await asOwner(setting, url, async (owner) => {
    await assertForVault(setting, owner, allowNewerDatabase);
    if (config.ownerUrl !== null || (await ownsTables(owner))) return true;
    const missing = await missingMigrations(owner, vaultMigrationsDir);
    if (missing.length > 0 && missing.length < migrationNames(vaultMigrationsDir).length)
      throw new ConfigError(
        `The database of the vault lacks the migration ${missing[0]}, and the role of VAULT_DATABASE_URL does not ` +
          'own its tables; run `platform migrate` with VAULT_MIGRATION_DATABASE_URL first.',
      );
    return missing.length > 0;
  });
  if (!mayMigrate) return;
  const applied = await applyMigrations(url, { dir: vaultMigrationsDir, log });
  if (applied.length > 0) log.info({ migrations: applied.length }, 'The database of the vault was migrated.');
  if (config.ownerUrl === null) return;
  await grantServerRole(config.url, url, { server: 'VAULT_DATABASE_URL', owner: setting });
  // Reports a wrong password now.
  await asOwner('VAULT_DATABASE_URL', config.url, async () => {});
}

/** Throws if it is the main database, which may have two addresses, so that the settings are not sufficient. */
async function assertForVault(setting: string, vault: pg.Client, mayBeNewer: boolean): Promise<void> {
  const known = new Set(migrationNames());
  const applied = await appliedMigrations(vault);
  const other = [...applied].find((name) => known.has(name));
  if (other !== undefined)
    throw new ConfigError(
      `${setting} leads to a database with the tables of the platform; the vault needs an empty one, for itself.`,
    );
  const own = new Set(migrationNames(vaultMigrationsDir));
  const newer = [...applied].filter((name) => !own.has(name)).sort();
  if (newer.length > 0 && !mayBeNewer)
    throw new ConfigError(
      `A newer version has migrated the database of the vault: this one lacks ${newer.at(-1)}. Start the newer ` +
        'version.',
    );
}

async function recordVault(main: pg.Client, vault: pg.Client, { installationId, isApart }: Place): Promise<void> {
  if (isApart) return assertMine(vault, installationId);
  if (await hasCards(main)) throw new ConfigError(cardsAreWithin);
  await bindVault(vault, installationId);
  if (await hasCards(vault)) throw new ConfigError(unfinishedMove);
  await setVaultApart(main);
}

const unfinishedMove = 'The cards are being moved to VAULT_DATABASE_URL. Run `platform move-cards` again to finish it.';

/**
 * Makes the separate database the one that has the cards, if the main database has none. Of two processes the second
 * changes nothing.
 */
function setVaultApart(main: pg.Client): Promise<void> {
  return inTransaction(main, async () => {
    await main.query('LOCK TABLE vault.place, vault.cards IN ACCESS EXCLUSIVE MODE');
    if (!(await placeIn(main)).isApart) {
      if (await hasCards(main)) throw new ConfigError('A server has stored a card meanwhile; stop the servers.');
      await setApart(main);
    }
  });
}
