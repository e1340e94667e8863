import { identifier, queryRows, raw, sql } from '../../database/sql.ts';
import type { Services } from '../../services.ts';
import { figureColumns, figuresOf } from './figure-rows.ts';

interface Verified {
  /** How many kept figures were compared. */
  kept: number;
  /** The accounts and days whose kept figures are not those of their rows, at most 1,000. */
  differences: { platformAccountId: string; day: string }[];
}

/** Counts the days that are summed again, in one statement, and compares. Days that wait to be summed again are not. */
export async function verifyFigures({ pool }: Pick<Services, 'pool'>): Promise<Verified> {
  const columns = raw(figureColumns.map((column) => `t."${column}"`).join(', '));
  const isCurrent = sql`NOT EXISTS (
      SELECT 1
      FROM counters.figures_changed c
      WHERE c."platformAccountId" = t."platformAccountId" AND c.day = t.day
    )`;
  const rows = await queryRows<{ kept: number; platformAccountId: string | null; day: string }>(
    pool,
    sql`
      WITH kept AS (SELECT ${columns} FROM counters.figures t WHERE ${isCurrent}),
      counted AS (
        SELECT ${columns}
        FROM (${figuresOf(
          (table) => sql`
            SELECT r.*
            FROM ${identifier(table)} r
            WHERE r."createdAt" < (SELECT u.day::timestamp AT TIME ZONE 'UTC' FROM counters.figures_until u)`,
        )}) t
        WHERE ${isCurrent}
      ),
      differing AS (
        (SELECT * FROM kept EXCEPT ALL SELECT * FROM counted)
        UNION ALL
        (SELECT * FROM counted EXCEPT ALL SELECT * FROM kept)
      )
      SELECT n.kept, d."platformAccountId", d.day::text AS day
      FROM (SELECT count(*) AS kept FROM kept) n
      LEFT JOIN (SELECT DISTINCT "platformAccountId", day FROM differing ORDER BY 1, 2 LIMIT 1000) d ON true`,
  );
  const differences = rows.flatMap(({ platformAccountId, day }) =>
    platformAccountId === null ? [] : [{ platformAccountId, day }],
  );
  return { kept: rows[0]?.kept ?? 0, differences };
}
