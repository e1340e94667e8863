import type pg from 'pg';
import { migrationNames, migrationsDir, readMigrations, readSchema } from './migration-files.ts';
import { openPool } from './pool.ts';

export interface MigrateOptions {
  /** Where the migrations are, for tests. */
  dir?: string;
}

/** Any number that nothing else takes; whoever migrates this database holds it. */
const migrationLock = 471_100_002;

/** Brings the database up to this code's migrations and gives the names of those it applied. */
export async function applyMigrations(url: string, { dir = migrationsDir }: MigrateOptions = {}): Promise<string[]> {
  const pool = openPool({
    connectionString: url,
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: 10_000,
    application_name: 'platform-migrations',
  });
  try {
    const missing = await missingMigrations(pool, dir);
    if (missing.length === 0) return [];
    return await applyLocked(pool, dir);
  } finally {
    await pool.end();
  }
}

/** The migrations of this code that the database lacks. One small query, so that a start with nothing to do costs nothing. */
export async function missingMigrations(pool: Pick<pg.Pool, 'query'>, dir = migrationsDir): Promise<string[]> {
  const known = await pool.query<{ there: boolean }>(
    `SELECT to_regclass('public._prisma_migrations') IS NOT NULL AS there`,
  );
  const names = migrationNames(dir);
  if (!known.rows[0]?.there) return names;
  const { rows } = await pool.query<{ name: string }>(
    'SELECT migration_name AS name FROM public._prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  const applied = new Set(rows.map(({ name }) => name));
  return names.filter((name) => !applied.has(name));
}

/**
 * All of it in one transaction: a crash half way, or a migration that fails, leaves the database as it was. Two processes
 * starting at once go one after the other, and the second finds nothing to do.
 */
async function applyLocked(pool: pg.Pool, dir: string): Promise<string[]> {
  // Loaded only here: with nothing to apply, a start spends no time on it.
  const { loadSchemaEngine, noFilter, takeScriptError } = await import('./schema-engine.ts');
  await pool.query('BEGIN');
  try {
    await pool.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    if ((await missingMigrations(pool, dir)).length === 0) {
      await pool.query('COMMIT');
      return [];
    }
    const engine = await loadSchemaEngine(pool, { inTransaction: true });
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: readMigrations(dir),
      filters: noFilter,
    });
    engine.free();
    await pool.query('COMMIT');
    return appliedMigrationNames;
  } catch (error) {
    await pool.query('ROLLBACK').catch(() => {});
    throw plainly(error, takeScriptError());
  }
}

function plainly(error: unknown, scriptError: unknown): unknown {
  if (!(scriptError instanceof Error)) return error;
  const name = /migration_name="([^"]+)"/.exec(String(error))?.[1] ?? 'one';
  return new Error(`The migration ${name} cannot be applied, and nothing was changed: ${scriptError.message}.`, {
    cause: scriptError,
  });
}

/** SQL that would bring the migrations' outcome to what prisma/schema says; empty when they agree. Needs a server it may make a shadow database on. */
export async function schemaDrift(
  url: string,
  { dir = migrationsDir, schemaDir }: MigrateOptions & { schemaDir?: string } = {},
): Promise<string> {
  const { loadSchemaEngine, noFilter, takeScriptError } = await import('./schema-engine.ts');
  const schema = readSchema(schemaDir);
  const pool = openPool({ connectionString: url, max: 1, idleTimeoutMillis: 0 });
  try {
    const engine = await loadSchemaEngine(pool, { schema });
    const { stdout } = await engine.diff({
      from: { tag: 'migrations', ...readMigrations(dir) },
      to: { tag: 'schemaDatamodel', ...schema },
      script: true,
      exitCode: null,
      filters: noFilter,
    });
    engine.free();
    const sql = withoutEmptyArrays(stdout?.trim() ?? '');
    return sql === '-- This is an empty migration.' ? '' : sql;
  } catch (error) {
    throw plainly(error, takeScriptError());
  } finally {
    await pool.end();
  }
}

/** The engine cannot read the default of a text array back from the database, and would set it anew in every migration. */
function withoutEmptyArrays(sql: string): string {
  const steps = sql.split(/\n\n(?=-- )/).map((step) => {
    const lines = step.split('\n');
    const kept = lines.filter(
      (line) => !/^(ALTER TABLE "\w+" )?ALTER COLUMN "\w+" SET DEFAULT ARRAY\[\]::TEXT\[\][,;]$/.test(line),
    );
    // A step that does more is left whole: its author sees it and takes the line out.
    return kept.length === 1 && lines.length > 1 ? '' : step;
  });
  return steps.filter((step) => step !== '').join('\n\n');
}
