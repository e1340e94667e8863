import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres, withDatabase } from '../../src/kit/embedded-postgres.ts';
import { applyMigrations } from '../../src/kit/migrate.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server of this test run; its database `template_migrated` is what every test's own is copied from. */
    postgresUrl: string;
  }
}

/** One real PostgreSQL for the whole run. Without fsync: what is tested is the software, not the disk. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const parent = mkdtempSync(join(tmpdir(), 'platform-test-'));
  const server = await startEmbeddedPostgres({
    dir: join(parent, 'postgres'),
    password: 'test',
    disposable: true,
    maxConnections: 300,
  });
  const teardown = async () => {
    await server.stop();
    rmSync(parent, { recursive: true, force: true });
  };
  try {
    await createTemplate(server.url);
  } catch (error) {
    await teardown();
    throw error;
  }
  project.provide('postgresUrl', server.url);
  return teardown;
}

async function createTemplate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('CREATE DATABASE template_migrated');
    await applyMigrations(withDatabase(url, 'template_migrated'));
    // Nobody may connect to it by mistake: a database in use cannot be copied.
    await client.query('ALTER DATABASE template_migrated ALLOW_CONNECTIONS false IS_TEMPLATE true');
  } finally {
    await client.end();
  }
}
