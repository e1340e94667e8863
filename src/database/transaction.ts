import type pg from 'pg';

/** Runs SQL statements as one database transaction: it commits, or rolls back when `run` throws. */
export async function inTransaction<Result>(
  pool: pg.Pool,
  run: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken = true;
  try {
    await client.query('BEGIN');
    const result = await run(client).catch(async (error: unknown) => {
      await client.query('ROLLBACK');
      broken = false;
      throw error;
    });
    await client.query('COMMIT');
    broken = false;
    return result;
  } finally {
    // A connection that may be in an open transaction is not reused.
    client.release(broken);
  }
}
