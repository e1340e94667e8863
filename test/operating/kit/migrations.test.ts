import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readMigrations, readSchema, schemaDir, schemaDrift } from '../../../prisma/schema-drift.ts';
import { loadSchemaEngine, noFilter } from '../../../prisma/schema-engine.ts';
import { printStructure, structureFile } from '../../../prisma/structure.ts';
import {
  applyMigrations,
  migrationNames,
  migrationsDir,
  missingMigrations,
  vaultMigrationsDir,
} from '../../../src/database/migrate.ts';
import { openPool } from '../../../src/database/pool.ts';
import { createLog } from '../../../src/observability/log.ts';
import { cardColumns } from '../../../src/operating/move-cards.ts';
import { emptyDatabase, freshDatabase } from '../../support/database.ts';

let url: string;
let pool: pg.Pool;
const scratch = mkdtempSync(join(tmpdir(), 'platform-migrations-'));

beforeAll(async () => {
  url = await emptyDatabase();
  pool = openPool({ connectionString: url });
});
afterAll(async () => {
  await pool.end();
  rmSync(scratch, { recursive: true });
});

test('the migrations result in prisma/schema', async () => {
  expect(await schemaDrift(url)).toBe('');
});

test('the cards have the same table in a database of their own', async () => {
  const vaultUrl = await emptyDatabase();
  await applyMigrations(vaultUrl, { dir: vaultMigrationsDir });
  const vault = openPool({ connectionString: vaultUrl });
  const main = openPool({ connectionString: await freshDatabase() });
  // cspell:ignore atttypid atttypmod attnotnull adbin adrelid attrdef adnum indexdef
  const tableIn = async (database: pg.Pool) => {
    const lines = await database.query<{ line: string }>(`
      SELECT format('%s %s %s %s', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
        pg_get_expr(d.adbin, d.adrelid)) AS line
      FROM pg_attribute a
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE a.attrelid = 'vault.cards'::regclass AND a.attnum > 0 AND NOT a.attisdropped
      UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'vault' AND tablename = 'cards'
      UNION ALL SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'vault.cards'::regclass
      ORDER BY 1`);
    return lines.rows.map(({ line }) => line);
  };
  try {
    const table = await tableIn(vault);
    expect(table.length).toBeGreaterThan(cardColumns.length);
    expect(table).toEqual(await tableIn(main));
    for (const name of cardColumns) expect(table.some((line) => line.startsWith(`${name} `))).toBe(true);
    expect(table.filter((line) => / [tf] /.test(line))).toHaveLength(cardColumns.length);
  } finally {
    await vault.end();
    await main.end();
  }
});

test('prisma/structure.sql is what the migrations of both databases result in', async () => {
  const printed = await printStructure(await emptyDatabase(), await emptyDatabase());
  expect(printed, 'npm run print').toBe(readFileSync(structureFile, 'utf8'));
});

test('a model without a migration is reported', async () => {
  const dir = join(scratch, 'schema');
  cpSync(schemaDir, dir, { recursive: true });
  writeFileSync(join(dir, 'parrots.prisma'), 'model Parrot {\n  id String @id\n  @@map("parrots")\n}\n');
  expect(await schemaDrift(url, dir)).toContain('CREATE TABLE "parrots"');
});

test('two processes that start at once apply everything once, and a third applies nothing', async () => {
  const applied = await Promise.all([applyMigrations(url), applyMigrations(url)]);
  expect(applied.flat()).toEqual(migrationNames());
  expect(await applyMigrations(url)).toEqual([]);
  expect(await missingMigrations(pool)).toEqual([]);
});

test("Prisma's own engine finds nothing to apply and no checksum changed", async () => {
  const one = openPool({ connectionString: url, max: 1, idleTimeoutMillis: 0 });
  const engine = await loadSchemaEngine(one, readSchema());
  const migrationsList = readMigrations();
  const diagnosis = await engine.diagnoseMigrationHistory({
    migrationsList,
    optInToShadowDatabase: false,
    filters: noFilter,
  });
  expect(diagnosis).toMatchObject({
    hasMigrationsTable: true,
    history: null,
    editedMigrationNames: [],
    failedMigrationNames: [],
  });
  expect((await engine.applyMigrations({ migrationsList, filters: noFilter })).appliedMigrationNames).toEqual([]);
  engine.free();
  await one.end();
});

test('a migration that the Prisma CLI left unfinished is named and stops the start', async () => {
  const other = await emptyDatabase();
  const newest = migrationNames().at(-1) ?? '';
  await applyMigrations(other);
  const client = new pg.Client({ connectionString: other });
  await client.connect();
  await client.query('UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = $1', [newest]);
  await expect(applyMigrations(other)).rejects.toThrow(`The migration ${newest} failed before and is not resolved`);
  await client.end();
});

test('a database with tables of another program is rejected', async () => {
  const other = await emptyDatabase();
  const client = new pg.Client({ connectionString: other });
  await client.connect();
  await client.query('CREATE TABLE parrots (id int)');
  await expect(applyMigrations(other)).rejects.toThrow(
    'The database has the table parrots and no record of migrations',
  );
  await client.end();
});

test('events, deliveries and endpoints of before have the names of events of now, and events still cannot be changed', async () => {
  const own = '20261128071000_name_events_in_camel_case';
  const before = join(scratch, 'before');
  cpSync(migrationsDir, before, { recursive: true });
  for (const name of migrationNames(before)) if (name >= own) rmSync(join(before, name), { recursive: true });
  const stored = await emptyDatabase();
  const client = new pg.Client({ connectionString: stored });
  await applyMigrations(stored, { dir: before });
  await client.connect();
  try {
    const owner = "'par_x', 'tpa_x', 'test'";
    await client.query(`
      SET session_replication_role = replica;
      INSERT INTO events (id, "partnerId", "platformAccountId", mode, type, "objectId", sequence, "requestId", data, "createdAt")
        SELECT 'evt_' || type, ${owner}, type, type, 1, 'req_x', '{}', now()
        FROM unnest(ARRAY['payment/refund_failed', 'order/refund_failed', 'order/paid']) type;
      INSERT INTO webhook_deliveries (id, "partnerId", "platformAccountId", mode, "endpointId", "eventId", "eventType", "objectId", sequence, status, "createdAt")
        SELECT 'whd_' || e.id, ${owner}, 'wh_x', e.id, e.type, e."objectId", 1, 'dead', now() FROM events e;
      INSERT INTO webhook_endpoints (id, "partnerId", "platformAccountId", mode, url, "eventTypes", secret, "createdAt", "updatedAt")
        VALUES ('wh_x', ${owner}, 'https://example.com', '{order/paid,payment/refund_failed,order/refund_failed}', '', now(), now());
      SET session_replication_role = DEFAULT`);
    await applyMigrations(stored);
    const names = ['order/paid', 'order/refundFailed', 'payment/refundFailed'];
    const read = async (text: string) => (await client.query(text)).rows.map(({ name }) => name);
    expect(await read('SELECT type AS name FROM events ORDER BY 1')).toEqual(names);
    expect(await read('SELECT "eventType" AS name FROM webhook_deliveries ORDER BY 1')).toEqual(names);
    expect(await read('SELECT unnest("eventTypes") AS name FROM webhook_endpoints ORDER BY 1')).toEqual(names);
    await expect(client.query('UPDATE events SET sequence = 2')).rejects.toThrow('never changed or removed');
  } finally {
    await client.end();
  }
});

test('a migration that fails is named, and none of the run is applied', async () => {
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

describe('a table that a running server has locked', () => {
  const dir = join(scratch, 'locked');
  let locked: string;
  let holder: pg.Client;
  beforeAll(async () => {
    mkdirSync(join(dir, '90000000000001_table'), { recursive: true });
    writeFileSync(join(dir, '90000000000001_table', 'migration.sql'), 'CREATE TABLE busy (id int);');
    locked = await emptyDatabase();
    await applyMigrations(locked, { dir });
    mkdirSync(join(dir, '90000000000002_column'));
    writeFileSync(join(dir, '90000000000002_column', 'migration.sql'), 'ALTER TABLE busy ADD COLUMN more int;');
    holder = new pg.Client({ connectionString: locked, application_name: 'holder' });
    await holder.connect();
    await holder.query('BEGIN; SELECT FROM busy');
  });
  afterAll(() => holder.end());

  test('after all tries the migration is refused, and names who may hold it; nothing is applied', async () => {
    const waits = { oneMs: 20, pauseMs: 1, allMs: 50 };
    await expect(applyMigrations(locked, { dir, waits })).rejects.toThrow(
      /90000000000002_column cannot be applied.*lock timeout.*holder \(process \d+, idle in transaction, since \d+ s\)/,
    );
    expect(await missingMigrations(holder, dir)).toEqual(['90000000000002_column']);
  });

  test('between two tries others read the table; when it is free the migration is applied', async () => {
    const written: string[] = [];
    const destination = { write: (line: string) => void written.push(line) };
    const waits = { oneMs: 50, pauseMs: 50, allMs: 60_000 };
    const applied = applyMigrations(locked, { dir, waits, log: createLog({ destination }) });
    await expect.poll(() => written.length).toBeGreaterThan(1);
    const reader = new pg.Client({ connectionString: locked });
    await reader.connect();
    await reader.query('SELECT FROM busy');
    await reader.end();
    await holder.query('COMMIT');
    expect(await applied).toEqual(['90000000000002_column']);
    expect(written[0]).toContain('It waits for a lock, and is tried again.');
  });
});

test('semicolons within functions and comments do not end a statement', async () => {
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
