import pg from 'pg';
import { lockWaitMs, tenantQueue } from './tenant-queue.ts';

/**
 * Runs SQL statements as one database transaction: it commits, or rolls back when `run` throws. A pool lends it a
 * connection. If `brief`, it waits for locks no longer than `lockWaitMs`.
 */
export async function inTransaction<Result>(
  database: pg.Pool | pg.ClientBase,
  run: (client: pg.ClientBase) => Promise<Result>,
  { brief = false } = {},
): Promise<Result> {
  const lent = database instanceof pg.Pool ? await database.connect() : null;
  const client = lent ?? (database as pg.ClientBase); // which is no pool
  let broken = true;
  try {
    await client.query(brief ? `BEGIN; SET LOCAL lock_timeout = ${lockWaitMs}` : 'BEGIN');
    const result = await run(client).catch(async (error: unknown) => {
      await client.query('ROLLBACK').then(
        () => (broken = false),
        () => {}, // the first error says why
      );
      throw error;
    });
    await client.query('COMMIT');
    broken = false;
    return result;
  } finally {
    // A connection that may be in an open transaction is not reused.
    lent?.release(broken);
  }
}

/**
 * As `inTransaction`, limited by the tenant queue: transactions that wait for its rows do not use the connections of
 * other tenants.
 */
export function inQueuedTransaction<Result>(
  pool: pg.Pool,
  tenant: string,
  run: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  return tenantQueue(pool).runWaiting(tenant, () => inTransaction(pool, run, { brief: true }));
}
