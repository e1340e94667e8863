// cspell:ignore indexrelid indrelid conindid indisprimary indisunique tgrelid tgfoid tgname regproc indexdef
import type pg from 'pg';

/**
 * Fills empty tables as a restore does: rows first, then the indexes that no constraint has. Triggers and foreign keys
 * do not run; what the triggers of added rows would have counted is counted once, from the tables.
 */
export async function asLoaded(
  pool: pg.Pool,
  statements: readonly [table: string, statement: string][],
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`SET session_replication_role = replica; SET synchronous_commit = off;
      SET maintenance_work_mem = '1GB'; SET work_mem = '256MB'; SET jit = off`);
    for (const [table, statement] of statements) {
      const { rows: indexes } = await client.query<{ name: string; definition: string }>(
        `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
          FROM pg_index i
          WHERE i.indrelid = $1::regclass AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)
            AND NOT i.indisprimary AND NOT i.indisunique`,
        [table],
      );
      for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
      await client.query(`INSERT INTO ${table} ${statement}`);
      for (const { definition } of indexes) await client.query(definition);
      await client.query(`VACUUM (ANALYZE, FREEZE) ${table}`);
    }
    await client.query(countRows);
  } finally {
    // The settings are those of the session.
    client.release(true);
  }
}

const countRows = `DO $$
  DECLARE
    t text;
  BEGIN
    FOR t IN SELECT c.relname FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid
      WHERE g.tgfoid = 'counters.count_rows'::regproc AND g.tgname LIKE '%_added'
    LOOP
      EXECUTE format('INSERT INTO counters.row_counts
        SELECT %L, "partnerId", mode, "platformAccountId", 0, count(*) FROM %I GROUP BY 2, 3, 4', t, t);
    END LOOP;
  END $$`;
