import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseUrls } from '../prepare-database.ts';
import { type Config, ConfigError } from '../runtime/config.ts';
import type { Log } from '../runtime/log.ts';

export interface CommandDatabase extends DatabaseUrls {
  stop(): Promise<void>;
}

/**
 * Connects a command to the database: the configured server, or the embedded server, which is started for the duration
 * of the command if it is not running. One that is running, whoever has started it, is left running.
 */
export async function databaseOf(config: Config, log: Log): Promise<CommandDatabase> {
  const { database } = config;
  if (database.kind === 'server') return { ...database, stop: async () => {} };
  const { AlreadyRunning, useServer } = await import('../dev/owner-lock.ts');
  const { startLocalDatabase } = await import('../dev/local-database.ts');
  const { localUrls } = await import('../dev/postgres-server.ts');
  for (let attempt = 1; ; attempt++)
    try {
      return await startLocalDatabase(config, database, log, { takesOver: false }).catch(async (error: unknown) => {
        if (!(error instanceof AlreadyRunning)) throw error;
        return { ...localUrls(error.url), stop: await useServer(error.url) };
      });
    } catch (error) {
      // Another command has just stopped the server that it started.
      if (attempt === 3 || !isEnding.test(String((error as { code?: string }).code))) throw error;
    }
}

const isEnding = /^(57P01|57P03|ECONNRESET|ECONNREFUSED)$/;

/** For a command that only reads: it does not make a database, and with it the demo tenants. */
export function assertDatabaseExists({ database, platformDir }: Config): void {
  if (database.kind === 'embedded' && !existsSync(join(database.dir, 'PG_VERSION')))
    throw new ConfigError(
      `There is no database in PLATFORM_DIR, ${platformDir}: \`npm start\` creates one. For a database of your own ` +
        `set ` +
        'DATABASE_URL.',
    );
}
