import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { assertTables, makeTables } from '../adapters/embedded-idp/tables.ts';
import { connectTo } from '../database/errors.ts';
import {
  appliedMigrations,
  migrate,
  migrationNames,
  missingMigrations,
  vaultMigrationsDir,
} from '../database/migrate.ts';
import { directUrlOf, keepSessionSettings } from '../database/pool.ts';
import { grantServerRole, ownsTables } from '../database/server-role.ts';
import { execute, type Queryable, queryRow, sql } from '../database/sql.ts';
import { assertKeys, checkKeys, type KeyPurpose } from '../keys/checks.ts';
import type { Log } from '../observability/log.ts';
import { assertPortFree } from '../runtime/http-server.ts';
import { type Config, ConfigError } from '../settings/config.ts';
import { platformVersion } from '../settings/packages.ts';
import { withVaultDatabase } from './prepare-vault.ts';

/** Stores at the first start to which cell a database belongs. Throws at a later start with another tag. */
async function keepOwnCell(database: Queryable, tag: string): Promise<void> {
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

/** The URLs of the configured database, or of the embedded PostgreSQL, which is started. */
export async function openDatabaseServer(
  config: Config,
  log: Log,
  opened: AsyncDisposableStack,
): Promise<DatabaseUrls> {
  if (config.database.kind === 'server') return config.database;
  // A first start fills its database for a minute, and no platform on the same data can have the port yet.
  if (!existsSync(join(config.database.dir, 'PG_VERSION'))) await assertPortFree(config);
  const { startLocalDatabase } = await import('../local/embedded-postgres.ts');
  const { stop, ...urls } = await startLocalDatabase(config, config.database, log);
  opened.defer(() => stop());
  return urls;
}

/** How a process connects to its database: as the server, and as the owner of the tables if it may migrate. */
export interface DatabaseUrls {
  url: string;
  ownerUrl: string | null;
}

/**
 * Brings the database to this version before anything uses it: the migrations, the tables of the embedded identity
 * provider, the rights of the server's role, and the database of the vault. A server without the owner's URL only
 * checks that this was done. Throws if a key of the settings is not that of the database.
 */
export function prepareDatabase(
  config: Config,
  urls: DatabaseUrls,
  log: Log,
  purpose: KeyPurpose = 'start',
): Promise<void> {
  return prepareMain(config, urls, log, purpose, (server) =>
    withVaultDatabase(config, urls, log, (vault) => checkKeys(config, server, vault, purpose)),
  );
}

/** The same without the database of the vault, or with the caller's check of the keys. */
export async function prepareMain(
  config: Config,
  urls: DatabaseUrls,
  log: Log,
  purpose: KeyPurpose = 'start',
  check = (server: pg.Client): Promise<void> => checkKeys(config, server, null, purpose),
): Promise<void> {
  const { ownerUrl } = urls;
  const directUrl = directUrlOf(config);
  const url = directUrl ?? urls.url;
  if (ownerUrl !== null) {
    // The other role may not exist yet.
    const owner = await connectTo('MIGRATION_DATABASE_URL', ownerUrl);
    try {
      await assertMigratable(config, owner, log, purpose);
    } finally {
      await owner.end();
    }
    await migrateAs(config, ownerUrl, log);
    await grantServerRole(url, ownerUrl);
  }
  const server = await connectTo(directUrl === null ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL', url);
  try {
    const isOwner = await ownsTables(server);
    if (ownerUrl === null) {
      await assertMigratable(config, server, log, purpose);
      if (isOwner || !(await hasTables(server))) await migrateAs(config, url, log);
      else await assertPrepared(config, server, url, log);
    }
    await keepOwnCell(server, config.cell);
    await check(server);
    if (directUrl !== null) await keepSessionSettings(server);
    if (isOwner)
      log.warn(
        'The role of DATABASE_URL owns the tables, so anyone with its password can rewrite the audit log and the ' +
          'ledger; set MIGRATION_DATABASE_URL to separate the roles (docs/self-hosting/database.md).',
      );
  } finally {
    await server.end();
  }
}

async function migrateAs(config: Config, url: string, log: Log): Promise<void> {
  await migrate(url, log);
  if (config.identity.kind === 'embedded') await makeTables(url, { ...config, secret: config.identity.secret, log });
}

async function assertPrepared(config: Config, server: pg.Client, url: string, log: Log): Promise<void> {
  const [missing] = await missingMigrations(server);
  if (missing !== undefined)
    throw new ConfigError(
      `The database lacks the migration ${missing}, and the role of DATABASE_URL does not own the tables; run ` +
        '`platform migrate` with MIGRATION_DATABASE_URL first.',
    );
  if (config.identity.kind === 'embedded')
    await assertTables(server, url, { ...config, secret: config.identity.secret, log });
}

/** Checks the version of the database and the keys before anything is changed. */
async function assertMigratable(config: Config, database: pg.Client, log: Log, purpose: KeyPurpose): Promise<void> {
  const applied = await appliedMigrations(database);
  const known = migrationNames();
  assertNotNewer(config, [...applied].filter((name) => !known.includes(name)).sort(), log);
  await assertKeys(config, database, { purpose });
}

/**
 * Throws if the database is of before the first migration, or newer: only the newer release knows whether an older
 * version may write to its tables.
 */
function assertNotNewer({ allowNewerDatabase }: Config, unknown: readonly string[], log: Log): void {
  const newest = unknown.at(-1);
  if (newest === undefined) return;
  if (migrationNames(vaultMigrationsDir).includes(newest))
    throw new ConfigError(
      'DATABASE_URL leads to the database of the vault, which VAULT_DATABASE_URL is to name; correct the two.',
    );
  if (newest < (migrationNames()[0] ?? ''))
    throw new ConfigError(
      `The database is of a version before the first migration of this one, such as ${newest}, and cannot be upgraded: ` +
        'start with a new database.',
    );
  const what = `A newer version has migrated the database: this version, ${platformVersion()}, lacks ${newest}`;
  if (!allowNewerDatabase)
    throw new ConfigError(
      `${what}. Start the newer version; for the way back see docs/self-hosting/upgrade.md (ALLOW_NEWER_DATABASE).`,
    );
  log.warn(`${what}; it starts because of ALLOW_NEWER_DATABASE.`);
}

async function hasTables(server: pg.Client): Promise<boolean> {
  const row = await queryRow<{ has: boolean }>(
    server,
    sql`SELECT to_regclass('public._prisma_migrations') IS NOT NULL AS has`,
  );
  return row?.has ?? false;
}
