import pg from 'pg';
import { travelingClock } from '../kit/clock.ts';
import { prepareDatabase } from '../prepare-database.ts';
import type { Config } from '../runtime/config.ts';
import type { Log } from '../runtime/log.ts';
import { openServices } from '../services.ts';
import { localUrls } from './postgres-server.ts';

const progressMs = 4_000;

/** Makes the tables of a new database and, outside production, the demo tenants. */
export async function fillDatabase(config: Config, ownerUrl: string, log: Log): Promise<void> {
  const urls = localUrls(ownerUrl);
  await prepareDatabase(config, urls, log);
  if (!config.isProduction) await addDemo(config, urls.url, ownerUrl, log);
}

async function addDemo(config: Config, url: string, ownerUrl: string, log: Log): Promise<void> {
  const startedAt = performance.now();
  const clock = travelingClock();
  // A crash loses no data, because the database is used only after it was renamed.
  await setSynchronousCommit(ownerUrl, false);
  // Some charges of the demo are meant to fail, so their warnings are not logged.
  const quietLog = log.child({}, { level: 'error' });
  const { services, idp, close } = await openServices(config, url, { clock, log: quietLog });
  const progress = { customers: 0, of: 0 };
  log.info('The demo tenants are being created.');
  const timer = setInterval(
    () => log.info(`The demo tenants are being created: ${progress.customers} of ${progress.of} customers.`),
    progressMs,
  );
  try {
    const { seedDemo } = await import('../../prisma/seed.ts'); // needed on the first start only
    await seedDemo(services, clock, idp, progress);
    // The roles of the demo's users are stored before the server listens.
    await idp?.flush();
    log.info({ durationMs: Math.round(performance.now() - startedAt) }, 'The demo tenants have been created.');
  } finally {
    clearInterval(timer);
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
