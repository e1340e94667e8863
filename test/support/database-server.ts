import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { applyMigrations } from '../../src/database/migrate.ts';
import { vaultMigrationsDir } from '../../src/database/migration-files.ts';
import { grantServerRole } from '../../src/database/server-role.ts';
import { startEmbeddedPostgres } from '../../src/dev/embedded-postgres.ts';
import { asServerRole, withDatabase } from '../../src/dev/postgres-server.ts';
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

/** One real PostgreSQL for the whole run. Without fsync: the tests cover the software, not the disk. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const parent = mkdtempSync(join(tmpdir(), 'platform-test-'));
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

async function createTemplate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('CREATE DATABASE template_migrated');
    const template = withDatabase(url, 'template_migrated');
    await applyMigrations(template);
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
