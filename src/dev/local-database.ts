import pg from 'pg';
import { migrate } from '../database/migrate.ts';
import { travelingClock } from '../kit/clock.ts';
import type { Config, DatabaseConfig } from '../runtime/config.ts';
import type { Log } from '../runtime/log.ts';
import { openServices } from '../services.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';

type EmbeddedDatabase = Extract<DatabaseConfig, { kind: 'embedded' }>;

/** Starts the embedded PostgreSQL. Its database is created with its tables and, outside production, the demo tenant. */
export function startLocalDatabase(
  config: Config,
  { dir, password }: EmbeddedDatabase,
  log: Log,
): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dir, password, fill: createDatabaseInitializer(config, log) });
}

export function createDatabaseInitializer(config: Config, log: Log): (url: string) => Promise<void> {
  return async (url) => {
    await migrate(url, log);
    if (!config.isProduction) await addDemo(config, url, log);
  };
}

async function addDemo(config: Config, url: string, log: Log): Promise<void> {
  const startedAt = performance.now();
  const clock = travelingClock();
  // A crash loses no data, because the database is used only after it was renamed.
  await setSynchronousCommit(url, false);
  // Some charges of the demo are meant to fail, so their warnings are not logged.
  const quietLog = log.child({}, { level: 'error' });
  const { services, idp, close } = await openServices(config, url, { clock, log: quietLog });
  try {
    const { seedDemo } = await import('../../prisma/seed.ts'); // needed on the first start only
    await seedDemo(services, clock, idp);
    // The roles of the demo's users are stored before the server listens.
    await idp?.flush();
    log.info({ durationMs: Math.round(performance.now() - startedAt) }, 'The demo tenants have been created.');
  } finally {
    await close();
  }
  await setSynchronousCommit(url, true);
}

/** Applies to new connections only. */
async function setSynchronousCommit(url: string, isOn: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const name = client.escapeIdentifier(new URL(url).pathname.slice(1));
    await client.query(`ALTER DATABASE ${name} ${isOn ? 'RESET synchronous_commit' : 'SET synchronous_commit = off'}`);
  } finally {
    await client.end();
  }
}
