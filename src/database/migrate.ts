import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import type { Log } from '../observability/log.ts';
import { ConfigError } from '../settings/config.ts';
import { withClient } from './client.ts';
import { execute, type Queryable, queryRow, queryRows, sql } from './sql.ts';
import { inTransaction } from './transaction.ts';

const folder = join(import.meta.dirname, '..', '..', 'prisma');

export const migrationsDir = join(folder, 'migrations');
/** Those of the database of `VAULT_DATABASE_URL`. */
export const vaultMigrationsDir = join(folder, 'vault');

/** The names of all migrations, in the order in which they are applied. */
export function migrationNames(dir = migrationsDir): string[] {
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

export function readMigration(name: string, dir = migrationsDir): string {
  return readFileSync(join(dir, name, 'migration.sql'), 'utf8');
}

/** Held by the process that migrates a database. The number is arbitrary and used for nothing else. */
export const platformLock = 471_100_002;
/** The lock of Prisma's own commands, such as `prisma migrate deploy`. */
const prismaLock = 72_707_369;

/** Applies the missing migrations and logs that it did. */
export async function migrate(url: string, log: Log): Promise<void> {
  const applied = await applyMigrations(url);
  const newest = applied.at(-1)?.replace(/^\d+_/, '');
  if (applied.length > 0) log.info({ migrations: applied.length, newest }, 'The database was migrated.');
}

/** Applies the migrations of this version that the database lacks, and returns their names. */
export async function applyMigrations(url: string, { dir = migrationsDir } = {}): Promise<string[]> {
  const apply = async (client: pg.Client): Promise<string[]> => {
    const missing = await missingMigrations(client, dir);
    return missing.length === 0 ? [] : applyMissing(client, dir);
  };
  return withClient(url, 'platform-migrations', apply, { connectionTimeoutMillis: 10_000 });
}

/** The migrations of this version that the database lacks: two small queries, also used by the readiness check. */
export async function missingMigrations(
  database: Queryable,
  dir = migrationsDir,
  names: readonly string[] = migrationNames(dir),
): Promise<string[]> {
  const applied = await appliedMigrations(database);
  return names.filter((name) => !applied.has(name));
}

/** The names of the migrations that the database has, of any version and folder. */
export async function appliedMigrations(database: Queryable): Promise<Set<string>> {
  if (!(await hasHistory(database))) return new Set();
  const rows = await queryRows<{ name: string }>(
    database,
    sql`
      SELECT migration_name AS name
      FROM public._prisma_migrations
      WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
  );
  return new Set(rows.map(({ name }) => name));
}

/** Read from the catalog: `to_regclass` may cache that there was none before another process committed it. */
async function hasHistory(database: Queryable): Promise<boolean> {
  const row = await queryRow<{ exists: boolean }>(
    database,
    sql`
      SELECT EXISTS (
        SELECT 1 FROM pg_tables WHERE schemaname = 'public' AND tablename = '_prisma_migrations'
      ) AS exists`,
  );
  return row?.exists ?? false;
}

/**
 * Applies all missing migrations in one transaction: after a crash or a failed migration the database is unchanged. If
 * two processes start concurrently, the second waits for the lock and then finds nothing to do.
 */
function applyMissing(client: pg.Client, dir: string): Promise<string[]> {
  return inTransaction(client, async () => {
    // The role may have the timeout that is meant for a server's statements.
    await client.query('SET LOCAL statement_timeout = 0');
    await execute(client, sql`SELECT pg_advisory_xact_lock(${platformLock}), pg_advisory_xact_lock(${prismaLock})`);
    await prepareHistory(client);
    const missing = await missingMigrations(client, dir);
    for (const name of missing) await applyScript(client, name, readMigration(name, dir));
    return missing;
  });
}

/** The table of the Prisma CLI, so that its commands and this code share one history. */
async function prepareHistory(client: pg.Client): Promise<void> {
  if (await hasHistory(client)) return refuseFailedMigration(client);
  const row = await queryRow<{ name: string }>(
    client,
    sql`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' LIMIT 1`,
  );
  if (row)
    throw new ConfigError(
      `The database has the table ${row.name} and no record of migrations; the platform needs an empty database.`,
    );
  await client.query(createHistory);
}

const createHistory = `
  CREATE TABLE public._prisma_migrations (
    id                  varchar(36)  PRIMARY KEY NOT NULL,
    checksum            varchar(64)  NOT NULL,
    finished_at         timestamptz,
    migration_name      varchar(255) NOT NULL,
    logs                text,
    rolled_back_at      timestamptz,
    started_at          timestamptz  NOT NULL DEFAULT now(),
    applied_steps_count integer      NOT NULL DEFAULT 0
  )`;

/** A row without an end is left by the Prisma CLI, which runs each migration outside this transaction. */
async function refuseFailedMigration(client: pg.Client): Promise<void> {
  const failed = await queryRow<{ name: string }>(
    client,
    sql`
      SELECT migration_name AS name
      FROM public._prisma_migrations
      WHERE finished_at IS NULL AND rolled_back_at IS NULL
      LIMIT 1`,
  );
  if (failed)
    throw new ConfigError(
      `The migration ${failed.name} failed before and is not resolved; no other is applied until \`prisma migrate ` +
        'resolve` has marked it.',
    );
}

async function applyScript(client: pg.Client, name: string, script: string): Promise<void> {
  const startedAt = new Date();
  try {
    // Without parameters the script is sent as one message: PostgreSQL splits it, also where a function contains
    // semicolons.
    await client.query(script);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`The migration ${name} cannot be applied, and nothing was changed: ${reason}.`, {
      cause: error,
    });
  }
  const checksum = createHash('sha256').update(script).digest('hex');
  await execute(
    client,
    sql`
      INSERT INTO public._prisma_migrations
        (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
      VALUES
        (${randomUUID()}, ${checksum}, ${name}, ${startedAt}, ${new Date()}, 1)`,
  );
}
