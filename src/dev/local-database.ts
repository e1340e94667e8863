import pg from 'pg';
import { travelingClock } from '../kit/clock.ts';
import { type DatabaseUrls, prepareDatabase } from '../prepare-database.ts';
import type { Config, DatabaseConfig } from '../runtime/config.ts';
import type { Log } from '../runtime/log.ts';
import { openServices } from '../services.ts';
import { besidePool, keptFree } from '../workers/pool-share.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import { asServerRole } from './postgres-server.ts';

type EmbeddedDatabase = Extract<DatabaseConfig, { kind: 'embedded' }>;

export interface LocalDatabase extends DatabaseUrls, Pick<EmbeddedPostgres, 'stop'> {}

/**
 * Starts the embedded PostgreSQL, with a role that owns the tables and one for the server. Its database is created with
 * its tables and, outside production, the demo tenant, unless something else fills it.
 */
export async function startLocalDatabase(
  config: Config,
  { dir, password }: EmbeddedDatabase,
  log: Log,
  fill: (ownerUrl: string) => Promise<void> = createDatabaseInitializer(config, log),
): Promise<LocalDatabase> {
  const { url, stop } = await startEmbeddedPostgres({
    dir,
    password,
    owner: `process ${process.pid}, PORT ${config.port}`,
    tookOver: () => log.warn('The PostgreSQL of a platform that was killed was still running, and was taken over.'),
    ...(config.workers > 1 && {
      maxConnections: Math.max(100, config.workers * (config.databasePoolSize + besidePool) + keptFree + 10),
    }),
    fill,
  });
  return { ...localUrls(url), stop };
}

export function localUrls(ownerUrl: string): DatabaseUrls {
  return { url: asServerRole(ownerUrl), ownerUrl };
}

export function createDatabaseInitializer(config: Config, log: Log): (url: string) => Promise<void> {
  return async (ownerUrl) => {
    const urls = localUrls(ownerUrl);
    await prepareDatabase(config, urls, log);
    if (!config.isProduction) await addDemo(config, urls.url, ownerUrl, log);
  };
}

async function addDemo(config: Config, url: string, ownerUrl: string, log: Log): Promise<void> {
  const startedAt = performance.now();
  const clock = travelingClock();
  // A crash loses no data, because the database is used only after it was renamed.
  await setSynchronousCommit(ownerUrl, false);
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
  await setSynchronousCommit(ownerUrl, true);
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
