import type { TestPlatform } from './platform.ts';

/** Resolves when this many transactions of the platform's database wait for a lock. */
export async function untilWaiting({ services }: TestPlatform, waiting = 1): Promise<void> {
  for (;;) {
    const { rows } = await services.pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if ((rows[0]?.n ?? 0) >= waiting) return;
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
