import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../observability/log.ts';
import { ConfigError } from '../settings/config.ts';
import { withClient } from './client.ts';
import { isLockTimeout } from './errors.ts';
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

/** A migration that takes longer is logged. */
const slowMs = 1_000;

/** Held by the process that migrates a database. The number is arbitrary and used for nothing else. */
export const platformLock = 471_100_002;
/** The lock of Prisma's own commands, such as `prisma migrate deploy`. */
const prismaLock = 72_707_369;

/** Applies the missing migrations and logs that it did. */
export async function migrate(url: string, log: Log): Promise<void> {
  const applied = await applyMigrations(url, { log });
  const newest = applied.at(-1)?.replace(/^\d+_/, '');
  if (applied.length > 0) log.info({ migrations: applied.length, newest }, 'The database was migrated.');
}

/** How long migrations wait for locks of running servers, in milliseconds. */
interface LockWaits {
  /** One wait. The calls that need the table wait behind it, so it is short. */
  oneMs: number;
  /** Between two tries. */
  pauseMs: number;
  /** All tries together. */
  allMs: number;
}

const lockWaits: LockWaits = { oneMs: 1_000, pauseMs: 5_000, allMs: 600_000 };

/** Applies the migrations of this version that the database lacks, and returns their names. */
export async function applyMigrations(
  url: string,
  { dir = migrationsDir, log = null, waits = lockWaits }: { dir?: string; log?: Log | null; waits?: LockWaits } = {},
): Promise<string[]> {
  const apply = async (client: pg.Client): Promise<string[]> => {
    const until = performance.now() + waits.allMs;
    for (;;) {
      if ((await missingMigrations(client, dir)).length === 0) return [];
      try {
        return await applyMissing(client, { dir, log, lockMs: waits.oneMs });
      } catch (error) {
        if (!(error instanceof ConfigError) || !isLockTimeout(error.cause)) throw error;
        const holders = await oldestTransactions(client);
        if (performance.now() >= until) throw stillLocked(error, waits.allMs, holders);
        log?.warn({ holders }, `${error.message} It waits for a lock, and is tried again.`);
        await delay(waits.pauseMs);
      }
    }
  };
  return withClient(url, 'platform-migrations', apply, { connectionTimeoutMillis: 10_000 });
}

/** Sessions that may hold the lock: those with the oldest transactions, in words. */
async function oldestTransactions(client: pg.Client): Promise<string[]> {
  const rows = await queryRows<{ session: string }>(
    client,
    sql`
      SELECT format('%s (process %s, %s, since %s s)', coalesce(nullif(application_name, ''), 'no name'), pid, state,
        extract(epoch FROM clock_timestamp() - xact_start)::int) AS session
      FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
      ORDER BY xact_start
      LIMIT 3`,
  );
  return rows.map(({ session }) => session);
}

function stillLocked(cause: ConfigError, allMs: number, holders: readonly string[]): ConfigError {
  const found = holders.length === 0 ? 'no session has an open transaction now' : holders.join('; ');
  return new ConfigError(
    `${cause.message} It waited ${Math.round(allMs / 1_000)} s for a lock. The oldest transactions: ${found}. ` +
      'End what holds it, and migrate again.',
    { cause },
  );
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
function applyMissing(
  client: pg.Client,
  { dir, log, lockMs }: { dir: string; log: Log | null; lockMs: number },
): Promise<string[]> {
  return inTransaction(client, async () => {
    // The role may have the timeouts that are meant for a server's statements. The wait for another process that
    // migrates holds no lock.
    await client.query('SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
    await execute(client, sql`SELECT pg_advisory_xact_lock(${platformLock}), pg_advisory_xact_lock(${prismaLock})`);
    await prepareHistory(client);
    const missing = await missingMigrations(client, dir);
    await client.query(`SET LOCAL lock_timeout = ${lockMs}`);
    for (const name of missing) {
      const from = performance.now();
      await applyScript(client, name, readMigration(name, dir));
      const durationMs = Math.round(performance.now() - from);
      if (durationMs >= slowMs) log?.info({ migration: name, durationMs }, 'A migration has ended.');
    }
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
