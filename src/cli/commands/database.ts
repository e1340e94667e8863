import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../database/database.ts';
import { openServerClock } from '../../database/server-clock.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../observability/log.ts';
import type { DatabaseUrls } from '../../operating/prepare-database.ts';
import { type Config, ConfigError } from '../../settings/config.ts';

export interface CommandDatabase extends DatabaseUrls {
  stop(): Promise<void>;
}

/**
 * Connects a command to the database: the configured server, or the embedded server, which is started for the duration
 * of the command if it is not running. A running server is left running, whichever process has started it.
 */
export async function databaseOf(config: Config, log: Log): Promise<CommandDatabase> {
  const { database } = config;
  if (database.kind === 'server') return { ...database, stop: async () => {} };
  const { AlreadyRunning, useServer } = await import('../../local/owner-lock.ts');
  const { startLocalDatabase } = await import('../../local/embedded-postgres.ts');
  const { localUrls } = await import('../../local/postgres-programs.ts');
  for (let attempt = 1; ; attempt++)
    try {
      return await startLocalDatabase(config, database, log, { takesOver: false }).catch(async (error: unknown) => {
        if (!(error instanceof AlreadyRunning)) throw error;
        return { ...localUrls(error.url), stop: await useServer(error.url) };
      });
    } catch (error) {
      // Another command has just stopped the server that it had started.
      if (attempt === 3 || !isEnding.test(String((error as { code?: string }).code ?? error))) throw error;
    }
}

/** The codes of a server that stops. pg gives none to a connection that was closed in the middle of its start. */
const isEnding = /^(57P01|57P03|ECONNRESET|ECONNREFUSED)$|Connection terminated/;

/** The clock of this machine and the database, for a command that opens no services. */
export async function clockOfDatabase({ url }: Pick<CommandDatabase, 'url'>, log: Log): Promise<Clock> {
  const { pool, close } = await openDatabase({ url, poolSize: 1, log, applicationName: 'platform-clock' });
  try {
    const clock = await openServerClock(pool, log);
    clock.close();
    return clock;
  } finally {
    await close();
  }
}

/** For a command that only reads: it must not create a database, nor the demo tenants in it. */
export function assertDatabaseExists({ database, platformDir }: Config): void {
  if (database.kind === 'embedded' && !existsSync(join(database.dir, 'PG_VERSION')))
    throw new ConfigError(
      `There is no database in PLATFORM_DIR, ${platformDir}: \`npm start\` creates one. For a database of your own ` +
        `set ` +
        'DATABASE_URL.',
    );
}
