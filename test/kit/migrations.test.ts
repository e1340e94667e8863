import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyMigrations, missingMigrations, schemaDrift } from '../../src/kit/migrate.ts';
import { migrationNames, migrationsDir, schemaDir } from '../../src/kit/migration-files.ts';
import { emptyDatabase } from '../support/database.ts';

let url: string;
let pool: pg.Pool;
const scratch = mkdtempSync(join(tmpdir(), 'platform-migrations-'));

beforeAll(async () => {
  url = await emptyDatabase();
  pool = new pg.Pool({ connectionString: url });
});
afterAll(async () => {
  await pool.end();
  rmSync(scratch, { recursive: true });
});

test('the migrations lead to prisma/schema', async () => {
  expect(await schemaDrift(url)).toBe('');
});

test('a model that no migration knows is told', async () => {
  const dir = join(scratch, 'schema');
  cpSync(schemaDir, dir, { recursive: true });
  writeFileSync(join(dir, 'parrots.prisma'), 'model Parrot {\n  id String @id\n  @@map("parrots")\n}\n');
  expect(await schemaDrift(url, { schemaDir: dir })).toContain('CREATE TABLE "parrots"');
});

test('two processes that start at once apply everything once, and a third finds nothing to do', async () => {
  const applied = await Promise.all([applyMigrations(url), applyMigrations(url)]);
  expect(applied.flat()).toEqual(migrationNames());
  expect(await applyMigrations(url)).toEqual([]);
  expect(await missingMigrations(pool)).toEqual([]);
});

test('a migration that fails is named and leaves nothing behind, the ones before it included', async () => {
  const dir = join(scratch, 'migrations');
  cpSync(migrationsDir, dir, { recursive: true });
  for (const [name, sql] of [
    ['90000000000001_good', 'CREATE TABLE good (id int);'],
    ['90000000000002_bad', 'CREATE TABLE bad (id int); SELECT 1/0;'],
  ] as const) {
    mkdirSync(join(dir, name));
    writeFileSync(join(dir, name, 'migration.sql'), sql);
  }
  await expect(applyMigrations(url, { dir })).rejects.toThrow(
    'The migration 90000000000002_bad cannot be applied, and nothing was changed: division by zero.',
  );
  const { rows } = await pool.query(`SELECT to_regclass('good') AS good, to_regclass('bad') AS bad`);
  expect(rows).toEqual([{ good: null, bad: null }]);
  expect(await missingMigrations(pool)).toEqual([]);
});

test('semicolons within functions and comments are part of them', async () => {
  const dir = join(scratch, 'function');
  mkdirSync(join(dir, '90000000000003_function'), { recursive: true });
  writeFileSync(
    join(dir, '90000000000003_function', 'migration.sql'),
    `-- one; two\nCREATE FUNCTION answer() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 42; END $$;`,
  );
  const other = await emptyDatabase();
  await applyMigrations(other, { dir });
  const client = new pg.Client({ connectionString: other });
  await client.connect();
  expect((await client.query('SELECT answer()')).rows).toEqual([{ answer: 42 }]);
  await client.end();
});
