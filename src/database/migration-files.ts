import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const migrationsDir = join(import.meta.dirname, '..', '..', 'prisma', 'migrations');

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
