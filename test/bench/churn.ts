import type pg from 'pg';
import { printTable } from './table.ts';
import type { BigTenant } from './tenants.ts';

interface Churn {
  relation: string;
  written: string;
  hot: string;
  live: string;
  dead: string;
  size: string;
}

/**
 * Prints what repeated updates of the same few rows did to the tables that every call writes. HOT updates do not change
 * the indexes.
 */
export async function printChurn(pool: pg.Pool, { accountId }: BigTenant): Promise<void> {
  await pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await pool.query<Churn>(`SELECT
        schemaname || '.' || relname AS relation, (n_tup_ins + n_tup_upd)::text AS written,
        CASE WHEN n_tup_upd = 0 THEN '–' ELSE round(100.0 * n_tup_hot_upd / n_tup_upd, 1)::text END AS hot,
        n_live_tup::text AS live, n_dead_tup::text AS dead,
        pg_size_pretty(pg_total_relation_size(relid)) AS size
      FROM pg_stat_user_tables
      WHERE schemaname IN ('limits', 'counters') OR relname IN ('payments', 'transactions', 'idempotency_records')
      ORDER BY 1`);
  console.log(`Tables that calls write, after the rounds above, most of them by ${accountId}:`);
  printTable(
    ['table', 'rows written', 'HOT updates %', 'live', 'dead', 'size'],
    rows.map(({ relation, written, hot, live, dead, size }) => [relation, written, hot, live, dead, size]),
  );
}
