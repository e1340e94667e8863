import type { DatabaseUrls } from './prepare-database.ts';
import type { Config } from './runtime/config.ts';
import type { Log } from './runtime/log.ts';

/** The URLs of the database of the settings; without one, of the embedded PostgreSQL, which is started. */
export async function openDatabaseServer(
  config: Config,
  log: Log,
  opened: AsyncDisposableStack,
): Promise<DatabaseUrls> {
  if (config.database.kind === 'server') return config.database;
  const { startLocalDatabase } = await import('./dev/local-database.ts');
  const { stop, ...urls } = await startLocalDatabase(config, config.database, log);
  opened.defer(() => stop());
  return urls;
}
