import type pg from 'pg';
import { beginWriteStory } from './write-story.ts';

export interface CountedStatement {
  text: string;
  calls: number;
  plans: number;
}

/** More than the five calls for which PostgreSQL plans a statement of a connection before it keeps a plan. */
const warmUp = 25;
const measured = 10;

// cspell:ignore dbid
/**
 * The statements of a charge, refund, capture, void, renewal and delivery after warm-up, those of triggers included.
 */
export async function planWrites(
  pool: pg.Pool,
  setting: Parameters<typeof beginWriteStory>[0],
): Promise<CountedStatement[]> {
  const once = await beginWriteStory(setting);
  for (let time = 0; time < warmUp; time++) await once();
  await pool.query('SELECT pg_stat_statements_reset()');
  for (let time = 0; time < measured; time++) await once();
  const { rows } = await pool.query<CountedStatement>(
    `SELECT query AS text, sum(calls)::int AS calls, sum(plans)::int AS plans
      FROM pg_stat_statements
      WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND query NOT LIKE '%pg_stat_statements%'
      GROUP BY query
      ORDER BY sum(plans)::float / sum(calls) DESC, sum(calls) DESC`,
  );
  return rows;
}
