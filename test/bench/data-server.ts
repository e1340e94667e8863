import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { applyMigrations } from '../../src/database/migrate.ts';
import { startEmbeddedPostgres } from '../../src/dev/embedded-postgres.ts';
import { type LocalSecrets, localSecrets } from '../../src/runtime/local-secrets.ts';

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
  remove(): void;
}

export async function startDataServer(): Promise<DataServer> {
  const platformDir = mkdtempSync(join(tmpdir(), 'platform-bench-'));
  const secrets = localSecrets(platformDir);
  const server = await startEmbeddedPostgres({
    dir: join(platformDir, 'postgres'),
    password: secrets.databasePassword,
  });
  await applyMigrations(server.url);
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
    remove: () => rmSync(platformDir, { recursive: true, force: true }),
  };
}
