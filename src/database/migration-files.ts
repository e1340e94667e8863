import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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
