import pg from 'pg';

/**
 * A pool that survives broken connections. pg reports them as `error` events, also of connections in use, and more than
 * once; an event without a listener ends the process, and pg-pool listens on idle connections only. The next statement
 * on a broken connection fails, and the pool replaces it. `idleBroke` is called for idle connections.
 */
export function openPool(config: pg.PoolConfig, idleBroke: (error: Error) => void = () => {}): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on('error', idleBroke);
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
