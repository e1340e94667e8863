import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { applyMigrations } from '../../src/database/migrate.ts';
import { startEmbeddedPostgres } from '../../src/local/embedded-postgres.ts';
import { type LocalSecrets, localSecrets } from '../../src/settings/secrets.ts';

/**
 * A migrated database for the bench, configured exactly as `npm start` configures its own, including durable commits.
 */
export interface DataServer {
  url: string;
  pool: pg.Pool;
  platformDir: string;
  secrets: LocalSecrets;
  /** Stops the server and keeps its data, for a start with existing data. */
  stop(): Promise<void>;
  /** Removes the data, unless its folder was given. */
  remove(): void;
}

/**
 * With `countsStatements`, pg_stat_statements counts the calls and plans of every statement. No analysis of a table
 * runs beside them: after each PostgreSQL plans again. With `dir` the data is in that folder, and is used again there.
 */
export async function startDataServer({
  countsStatements = false,
  dir,
}: {
  countsStatements?: boolean;
  dir?: string | undefined;
} = {}): Promise<DataServer> {
  const platformDir = dir ?? mkdtempSync(join(tmpdir(), 'platform-bench-'));
  mkdirSync(platformDir, { recursive: true });
  const secrets = localSecrets(platformDir);
  const start = () => startEmbeddedPostgres({ dir: join(platformDir, 'postgres'), password: secrets.databasePassword });
  let server = await start();
  await applyMigrations(server.url);
  if (countsStatements) {
    await loadCounts(server.url);
    await server.stop();
    server = await start();
  }
  const pool = new pg.Pool({ connectionString: server.url, max: 4 });
  pool.on('error', () => {});
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= pool.end().then(() => server.stop()));
  return {
    url: server.url,
    pool,
    platformDir,
    secrets,
    stop,
    remove: () => dir ?? rmSync(platformDir, { recursive: true, force: true }),
  };
}

async function loadCounts(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('CREATE EXTENSION pg_stat_statements');
  for (const [name, value] of [
    ['shared_preload_libraries', 'pg_stat_statements'],
    ['pg_stat_statements.track', 'all'],
    ['pg_stat_statements.track_planning', 'on'],
    ['autovacuum', 'off'],
  ] as const)
    await client.query(`ALTER SYSTEM SET ${name} = '${value}'`);
  await client.end();
}
