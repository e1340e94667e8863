import { Socket } from 'node:net';
import pg from 'pg';
import type { Config } from '../settings/config.ts';
import { execute, type Queryable, queryRow, raw, sql } from './sql.ts';

/**
 * A pool that survives broken connections. pg reports them as `error` events, also of connections in use, and more than
 * once; an event without a listener ends the process, and pg-pool listens on idle connections only. The next statement
 * on a broken connection fails, and the pool replaces the connection. `idleBroke` is called for idle connections.
 * Unless `mayBeStandby` is set, connections to servers that accept no writes are closed.
 */
export function openPool(
  config: pg.PoolConfig,
  { idleBroke = () => {}, mayBeStandby = false }: { idleBroke?: (error: Error) => void; mayBeStandby?: boolean } = {},
): pg.Pool {
  const pool = new pg.Pool(mayBeStandby ? config : { ...config, Client: PrimaryClient });
  pool.on('error', idleBroke);
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('acquire', (client) => limitSilence(client, silenceMaxMs));
  pool.on('release', (_error, client) => limitSilence(client, 0));
  return pool;
}

/**
 * Above every `statement_timeout`, after which a server would have answered. A server that is silent for longer is
 * down, or waits for a standby that is down; its operating system may not report it for hours.
 */
const silenceMaxMs = 20_000;

/** Closes the connection if it is idle for this time. 0 for no limit. */
function limitSilence({ connection: { stream } }: pg.PoolClient, maxMs: number): void {
  if (stream instanceof Socket) stream.setTimeout(maxMs, close);
}

function close(this: Socket): void {
  this.destroy();
}

/** A connection to a server that accepts writes. One to a standby, or to a server that has become one, is closed. */
class PrimaryClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this;
    connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, unknown>) => {
      if (parameterName === 'in_hot_standby' && parameterValue === 'on') connection.stream.destroy(new IsStandby());
    });
    connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === readOnly) connection.stream.destroy();
    });
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error | null, client?: pg.Client) => void): void;
  override connect(callback?: (error: Error | null, client?: pg.Client) => void): Promise<pg.Client> | undefined {
    if (!callback) return super.connect();
    super.connect((error: Error | null) => {
      if (error) callback(Object.assign(error, { isUnsent: true }));
      else callback(null, this);
    });
    return undefined;
  }
}

const readOnly = '25006';

class IsStandby extends Error {
  readonly code = readOnly;

  constructor() {
    super('The server is a standby and accepts no writes.');
  }
}

/** Timeouts of the server, in milliseconds: for a statement, and for a transaction whose process sends nothing more. */
const timeouts = { statement_timeout: 15_000, idle_in_transaction_session_timeout: 15_000 };
/** The tables of the embedded identity provider are in a separate schema. None has the name of a table of `public`. */
const searchPath = '"$user", public, idp';

/** The URL that bypasses a pooler in transaction mode; null without a pooler. */
export function directUrlOf({ database }: Pick<Config, 'database'>): string | null {
  return database.kind === 'server' ? (database.directUrl ?? null) : null;
}

/**
 * The session settings of a connection. A pooler assigns each transaction to another session, and rejects most startup
 * parameters: behind one, the settings are those of the role.
 */
export function sessionSettings(isPooled: boolean, schema?: 'idp'): pg.ClientConfig {
  return isPooled ? {} : { ...timeouts, ...(schema && { options: `-c search_path=${schema}` }) };
}

/** Stores the session settings as those of the role in this database. They apply to new connections. */
export async function keepSessionSettings(direct: Queryable): Promise<void> {
  const row = await queryRow<{ database: string; path: string; timeout: string }>(
    direct,
    sql`
      SELECT
        current_database() AS database,
        current_setting('search_path') AS path,
        current_setting('statement_timeout') AS timeout`,
  );
  // Two processes that change one entry concurrently would fail.
  if (!row || (row.path === searchPath && row.timeout === `${timeouts.statement_timeout / 1_000}s`)) return;
  const role = `ALTER ROLE CURRENT_USER IN DATABASE ${pg.escapeIdentifier(row.database)}`;
  await execute(direct, raw(`${role} SET search_path = ${searchPath}`));
  for (const [name, ms] of Object.entries(timeouts)) await execute(direct, raw(`${role} SET ${name} = ${ms}`));
}
