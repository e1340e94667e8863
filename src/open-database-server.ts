import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseUrls } from './prepare-database.ts';
import type { Config } from './runtime/config.ts';
import { assertPortFree } from './runtime/http-server.ts';
import type { Log } from './runtime/log.ts';

/** The URLs of the database of the settings; without one, of the embedded PostgreSQL, which is started. */
export async function openDatabaseServer(
  config: Config,
  log: Log,
  opened: AsyncDisposableStack,
): Promise<DatabaseUrls> {
  if (config.database.kind === 'server') return config.database;
  // A first start makes its database for a minute, and no platform of the same data can have the port yet.
  if (!existsSync(join(config.database.dir, 'PG_VERSION'))) await assertPortFree(config);
  const { startLocalDatabase } = await import('./dev/local-database.ts');
  const { stop, ...urls } = await startLocalDatabase(config, config.database, log);
  opened.defer(() => stop());
  return urls;
}
