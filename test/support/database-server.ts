import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { makeTables } from '../../src/adapters/embedded-idp/tables.ts';
import { applyMigrations, vaultMigrationsDir } from '../../src/database/migrate.ts';
import { grantServerRole } from '../../src/database/server-role.ts';
import { startEmbeddedPostgres } from '../../src/local/embedded-postgres.ts';
import { asServerRole, withDatabase } from '../../src/local/postgres-programs.ts';
import { createLog } from '../../src/observability/log.ts';
import { type Pooler, startPooler } from './pooler.ts';
import { vaultSettingsOf } from './vault-settings.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server of this test run; every test's database is copied from its database `template_migrated`. */
    postgresUrl: string;
    /** The port of a pooler before it, behind which the servers of the tests run; null without one. */
    poolerPort: number | null;
  }
}

const sharedMemory = '/dev/shm';
/** More than the databases and the write-ahead log of a run take. */
const dataMaxBytes = 8 * 1024 ** 3;

/** One real PostgreSQL for the whole run. Without fsync: the tests cover the software, not the disk. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const parent = mkdtempSync(join(folderOfData(), 'platform-test-'));
  const server = await startEmbeddedPostgres({
    dir: join(parent, 'postgres'),
    password: 'test',
    disposable: true,
    maxConnections: 300,
  });
  const { PGBOUNCER: program } = process.env;
  let pooler: Pooler | null = null;
  const teardown = async () => {
    await pooler?.stop();
    await server.stop();
    rmSync(parent, { recursive: true, force: true });
  };
  try {
    await createTemplate(server.url);
    if (program !== undefined) pooler = await startPooler(program, server.url, parent);
  } catch (error) {
    await teardown();
    throw error;
  }
  project.provide('postgresUrl', server.url);
  project.provide('poolerPort', pooler?.port ?? null);
  return teardown;
}

/** In memory where there is room for the databases of a run: each test file copies a template. */
function folderOfData(): string {
  try {
    const { bavail, bsize } = statfsSync(sharedMemory);
    if (bavail * bsize >= dataMaxBytes) return sharedMemory;
  } catch {
    // This system has no such folder.
  }
  return tmpdir();
}

/** What a server would do at each of its starts, done once. */
async function createTemplate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('CREATE DATABASE template_migrated');
    const template = withDatabase(url, 'template_migrated');
    await applyMigrations(template);
    await makeTables(template, {
      publicUrl: 'http://127.0.0.1',
      allowedOrigins: [],
      secret: 'of the tables, which do not depend on it',
      log: createLog({ level: 'error' }),
    });
    await grantServerRole(asServerRole(template), template);
    // Connections are disabled: a database in use cannot be copied.
    await client.query('ALTER DATABASE template_migrated ALLOW_CONNECTIONS false IS_TEMPLATE true');
    await client.query('CREATE DATABASE template_vault');
    const vault = withDatabase(url, 'template_vault');
    await applyMigrations(vault, { dir: vaultMigrationsDir });
    await grantServerRole(vaultSettingsOf(vault).VAULT_DATABASE_URL, vault);
    await client.query('ALTER DATABASE template_vault ALLOW_CONNECTIONS false IS_TEMPLATE true');
  } finally {
    await client.end();
  }
}
