import pg from 'pg';
import { travellingClock } from './kit/clock.ts';
import type { Config } from './kit/config.ts';
import { AlreadyRunning, type EmbeddedPostgres, startEmbeddedPostgres } from './kit/embedded-postgres.ts';
import type { Log } from './kit/log.ts';
import { applyMigrations } from './kit/migrate.ts';
import { openEnv } from './open-env.ts';

export async function migrate(url: string, log: Log): Promise<void> {
  const applied = await applyMigrations(url);
  if (applied.length > 0)
    log.info(
      { migrations: applied.length, newest: applied.at(-1)?.replace(/^\d+_/, '') },
      'The database was migrated.',
    );
}

/** What a database of our own is made with: its tables and, outside production, the demo tenant. */
export function filling(config: Config, log: Log): (url: string) => Promise<void> {
  return async (url) => {
    await migrate(url, log);
    if (config.isProduction) return;
    const begun = performance.now();
    const clock = travellingClock();
    // Its own troubles are part of the story: cards that fail are meant to. Nothing is lost by committing lazily: the database counts only from the moment it is moved into place.
    await commitLazily(url, true);
    const { env, idp, close } = await openEnv(config, url, { clock, log: log.child({}, { level: 'error' }) });
    try {
      const { seedDemo } = await import('../prisma/seed.ts'); // loaded when needed: only the very first start needs it
      await seedDemo(env, clock, idp);
      // What the demo's people may do is known when the server listens.
      await idp?.flush();
      log.info({ durationMs: Math.round(performance.now() - begun) }, 'The demo tenants are in place.');
    } finally {
      await close();
    }
    await commitLazily(url, false);
  };
}

/** The database a command works on, the one the platform uses: a server of the operator's, the platform's own that is running, or that one started for a moment. */
export async function databaseOf(config: Config, log: Log): Promise<EmbeddedPostgres> {
  const { database } = config;
  if (database.kind === 'server') return { url: database.url, stop: async () => {} };
  try {
    return await startEmbeddedPostgres({ ...database, fill: filling(config, log) });
  } catch (error) {
    if (error instanceof AlreadyRunning) return { url: error.url, stop: async () => {} };
    throw error;
  }
}

/** For the connections that are opened from now on. */
async function commitLazily(url: string, lazily: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const name = client.escapeIdentifier(new URL(url).pathname.slice(1));
    await client.query(
      `ALTER DATABASE ${name} ${lazily ? 'SET synchronous_commit = off' : 'RESET synchronous_commit'}`,
    );
  } finally {
    await client.end();
  }
}
