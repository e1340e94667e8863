import type { TestPlatform } from './platform.ts';

/** Resolves when a transaction of the platform's database waits for a lock. */
export async function untilWaiting({ services }: TestPlatform): Promise<void> {
  for (;;) {
    const { rows } = await services.pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if ((rows[0]?.n ?? 0) > 0) return;
  }
}

/** Locks a table against every reader, or only every writer, until the returned function is called. */
export async function lockTable(
  { services }: TestPlatform,
  table: string,
  mode: 'ACCESS EXCLUSIVE' | 'SHARE' = 'ACCESS EXCLUSIVE',
): Promise<() => Promise<void>> {
  const client = await services.pool.connect();
  await client.query('BEGIN');
  await client.query(`LOCK TABLE ${table} IN ${mode} MODE`);
  return async () => {
    await client.query('COMMIT');
    client.release();
  };
}
