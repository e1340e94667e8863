import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseUrls } from '../prepare-database.ts';
import type { Config, DatabaseConfig } from '../runtime/config.ts';
import type { Log } from '../runtime/log.ts';
import { besidePool, keptFree } from '../workers/pool-share.ts';
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './embedded-postgres.ts';
import { fillInChild } from './fill-in-child.ts';
import { localUrls } from './postgres-server.ts';

type EmbeddedDatabase = Extract<DatabaseConfig, { kind: 'embedded' }>;

export interface LocalDatabase extends DatabaseUrls, Pick<EmbeddedPostgres, 'stop'> {}

/**
 * Starts the embedded PostgreSQL, with a role that owns the tables and one for the server. Its database is created with
 * its tables and, outside production, the demo tenant, unless something else fills it. A command does not take a running
 * one over, and leaves it running.
 */
export async function startLocalDatabase(
  config: Config,
  { dir, password }: EmbeddedDatabase,
  log: Log,
  {
    fill = (ownerUrl) => fillInChild(config, ownerUrl, log),
    takesOver = true,
  }: Pick<EmbeddedPostgresOptions, 'fill' | 'takesOver'> = {},
): Promise<LocalDatabase> {
  if (!existsSync(join(dir, 'PG_VERSION'))) log.info(`A database is being created in ${dir}.`);
  const { url, stop } = await startEmbeddedPostgres({
    dir,
    password,
    owner: takesOver ? `process ${process.pid}, PORT ${config.port}` : `a command, process ${process.pid}`,
    tookOver: () => log.warn('The PostgreSQL of a platform that was killed was still running, and was taken over.'),
    ...(config.workers > 1 && {
      maxConnections: Math.max(100, config.workers * (config.databasePoolSize + besidePool) + keptFree + 10),
    }),
    takesOver,
    fill,
  });
  return { ...localUrls(url), stop };
}
