import { withClient } from '../database/client.ts';
import { queryRow, sql } from '../database/sql.ts';
import type { Log } from '../observability/log.ts';
import { type Config, ConfigError } from '../settings/config.ts';

/** Further connections that a process opens, at most: the test processor 4, the embedded identity provider 6. */
export const besidePool = 10;
/** Connections left for commands, backups and operators. */
export const reservedConnections = 5;
const poolMin = 2;

/** The pool size of each worker: that of the settings, or less if the database allows fewer connections in total. */
export async function poolShare(
  { workers, databasePoolSize }: Pick<Config, 'workers' | 'databasePoolSize'>,
  url: string,
  log: Log,
): Promise<number> {
  const allowed = await connectionsAllowed(url);
  const share = Math.min(databasePoolSize, Math.floor((allowed - reservedConnections) / workers) - besidePool);
  if (share < Math.min(poolMin, databasePoolSize))
    throw new ConfigError(
      `WORKERS is ${workers}, and the database allows ${allowed} connections, which are too few for ` +
        `${besidePool + poolMin} a worker; lower WORKERS or raise max_connections.`,
    );
  if (share < databasePoolSize)
    log.warn(
      `DATABASE_POOL_SIZE is ${databasePoolSize}; each of ${workers} workers uses ${share}, since the database ` +
        `allows ${allowed} connections.`,
    );
  return share;
}

/** The minimum of the limits of the server, of the database and of the role. */
function connectionsAllowed(connectionString: string): Promise<number> {
  return withClient(connectionString, 'platform-start', async (client) => {
    const row = await queryRow<{ allowed: number }>(
      client,
      // cspell:ignore datconnlimit rolconnlimit
      sql`SELECT least(
          current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
            - coalesce(current_setting('reserved_connections', true)::int, 0),
          (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database()),
          (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user)
        ) AS allowed`,
    );
    return row?.allowed ?? 0;
  });
}
