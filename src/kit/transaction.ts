import type pg from 'pg';

/** Runs hand-written statements as one transaction: all of it is committed, or nothing when something is thrown. */
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
    // A connection that may stand in an open transaction is not given to the next caller.
    client.release(broken);
  }
}
