import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MigrationList, SchemasContainer } from '@prisma/schema-engine-wasm';
import { migrationNames, migrationsDir, readMigration } from '../src/database/migrate.ts';
import { openPool } from '../src/database/pool.ts';
import { loadSchemaEngine, noFilter, takeScriptError } from './schema-engine.ts';

export const schemaDir = join(import.meta.dirname, 'schema');

/**
 * Returns the SQL that would change the result of the migrations into prisma/schema; empty if they agree. Needs a
 * server on which it may create a shadow database.
 */
export async function schemaDrift(url: string, directory = schemaDir): Promise<string> {
  const schema = readSchema(directory);
  const pool = openPool({ connectionString: url, max: 1, idleTimeoutMillis: 0 });
  try {
    const engine = await loadSchemaEngine(pool, schema);
    const { stdout } = await engine.diff({
      from: { tag: 'migrations', ...readMigrations() },
      to: { tag: 'schemaDatamodel', ...schema },
      script: true,
      exitCode: null,
      filters: noFilter,
    });
    engine.free();
    const script = withoutEmptyArrays(stdout?.trim() ?? '');
    return script === '-- This is an empty migration.' ? '' : script;
  } catch (error) {
    throw takeScriptError() ?? error;
  } finally {
    await pool.end();
  }
}

/** The migrations in the form the engine expects. */
export function readMigrations(): MigrationList {
  return {
    baseDir: migrationsDir,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: migrationNames().map((path) => ({
      path,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: readMigration(path) } },
    })),
  };
}

export function readSchema(directory = schemaDir): SchemasContainer {
  const names = readdirSync(directory)
    .filter((name) => name.endsWith('.prisma'))
    .sort();
  const files = names.map((name) => join(directory, name));
  return { files: files.map((path) => ({ path, content: readFileSync(path, 'utf8') })) };
}

/** The engine cannot read the default of a text array from the database and would set it in every migration. */
function withoutEmptyArrays(script: string): string {
  const steps = script.split(/\n\n(?=-- )/).map((step) => {
    const lines = step.split('\n');
    const kept = lines.filter(
      (line) => !/^(ALTER TABLE "\w+" )?ALTER COLUMN "\w+" SET DEFAULT ARRAY\[\]::TEXT\[\][,;]$/.test(line),
    );
    // A statement that changes more is kept whole: its author deletes the line.
    return kept.length === 1 && lines.length > 1 ? '' : step;
  });
  return steps.filter((step) => step !== '').join('\n\n');
}
