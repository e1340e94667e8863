import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrationNames, migrationsDir } from '../src/database/migrate.ts';
import { startEmbeddedPostgres } from '../src/local/embedded-postgres.ts';
import { localSecrets } from '../src/settings/secrets.ts';
import { schemaDrift } from './schema-drift.ts';

// platform migration "add orders": writes the SQL from the result of the migrations to prisma/schema. The file is a
// draft: its author reviews it and adds checks, triggers and other statements that Prisma does not generate.
const sentence = process.argv.slice(2).join(' ');
const slug = sentence
  .toLowerCase()
  .replace(/[^a-z0-9]+/g, '_')
  .replace(/^_+|_+$/g, '');
const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);

if (slug === '') {
  console.error('Say in a few words what the migration does: platform migration "add orders"');
  process.exitCode = 1;
} else if (migrationNames().some((name) => name.slice(0, 14) >= stamp)) {
  console.error(`The last migration is stamped later than now (${stamp}), so a new one would be applied before it.`);
  process.exitCode = 1;
} else {
  await writeMigration(`${stamp}_${slug}`);
}

async function writeMigration(name: string): Promise<void> {
  const dir = join(import.meta.dirname, '..', '.platform', 'migration-drafts');
  // A separate server, so that writing a migration does not need or affect a running platform.
  const server = await startEmbeddedPostgres({
    dir,
    password: localSecrets(join(dir, '..')).databasePassword,
    disposable: true,
  });
  try {
    const sql = await schemaDrift(server.url);
    if (sql === '') return console.log('The migrations and prisma/schema agree: there is nothing to write.');
    mkdirSync(join(migrationsDir, name));
    writeFileSync(join(migrationsDir, name, 'migration.sql'), `${sql}\n`);
    console.log(`Written: prisma/migrations/${name}/migration.sql`);
  } finally {
    await server.stop();
  }
}
