import pg from 'pg';

/**
 * A pool that outlives its connections. pg tells of a connection that breaks as an `error` event, of one in use, too, and more
 * than once; an event nobody listens to ends the whole process, and pg-pool listens to idle connections alone. Whoever uses the
 * broken one hears of it at their next statement, and the pool replaces it. `idleBroke` is told of those nobody was using.
 */
export function openPool(config: pg.PoolConfig, idleBroke: (error: Error) => void = () => {}): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on('error', idleBroke);
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
