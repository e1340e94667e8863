import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MigrationList, SchemasContainer } from '@prisma/schema-engine-wasm';

const root = join(import.meta.dirname, '..', '..');
export const migrationsDir = join(root, 'prisma', 'migrations');
export const schemaDir = join(root, 'prisma', 'schema');

export function readMigrations(dir = migrationsDir): MigrationList {
  return {
    baseDir: dir,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: migrationNames(dir).map((path) => ({
      path,
      migrationFile: {
        path: 'migration.sql',
        content: { tag: 'ok', value: readFileSync(join(dir, path, 'migration.sql'), 'utf8') },
      },
    })),
  };
}

/** In the order in which they are applied. */
export function migrationNames(dir = migrationsDir): string[] {
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

export function readSchema(dir = schemaDir): SchemasContainer {
  const files = readdirSync(dir)
    .filter((name) => name.endsWith('.prisma'))
    .sort();
  return { files: files.map((name) => ({ path: join(dir, name), content: readFileSync(join(dir, name), 'utf8') })) };
}
