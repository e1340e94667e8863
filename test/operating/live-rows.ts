import type { TestPlatform } from '../support/platform.ts';

/** The live rows of every table that has a mode. */
export async function liveRows({ services: { pool } }: TestPlatform): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ table: string }>(
    `SELECT c.table_name AS table FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE c.table_schema = 'public' AND c.column_name = 'mode' AND t.table_type = 'BASE TABLE'`,
  );
  const counted = await Promise.all(
    rows.map(async ({ table }) => {
      const { rows: found } = await pool.query(`SELECT count(*)::int AS n FROM "${table}" WHERE mode = 'live'`);
      return [table, found[0].n as number] as const;
    }),
  );
  return Object.fromEntries(counted.filter(([, n]) => n > 0));
}
