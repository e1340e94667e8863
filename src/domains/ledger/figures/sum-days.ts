import type pg from 'pg';
import { columnList, execute, identifier, queryRow, queryRows, raw, type Sql, sql } from '../../../database/sql.ts';
import { inTransaction } from '../../../database/transaction.ts';
import type { Services } from '../../../services.ts';

/** The tables whose rows are summed, each by its own time. */
type SummedTable = 'payments' | 'refunds' | 'disputes';

/** Columns of counts and sums. */
export const summedColumns = [
  'payments',
  'approved',
  'refused',
  'volume',
  'refunds',
  'refundedVolume',
  'disputes',
  'disputedVolume',
  'capturedVolume',
  'authorizedVolume',
] as const;

/**
 * Whether a column is a sum of amounts; the others are counts. The sum of one account and day is stored as bigint,
 * which 92 million payments of the largest amount would fill; sums of several are unbounded.
 */
export function isSumOfAmounts(column: (typeof summedColumns)[number]): boolean {
  return /volume$/i.test(column);
}

/** Columns of the sums of an account, a UTC day, a currency, a processor and a decline code. */
export const figureColumns = [
  'partnerId',
  'mode',
  'platformAccountId',
  'day',
  'currency',
  'processorId',
  'declineCode',
  ...summedColumns,
] as const;

const day = sql`(t."createdAt" AT TIME ZONE 'UTC')::date`;
/**
 * The charge was approved, regardless of what happened to the authorization later. A capture or void may be in flight.
 */
const isApproved = sql`(
      t.status IN ('succeeded', 'partially_refunded', 'refunded')
      OR t."subStatus" IN ('authorized', 'voided', 'expired')
      OR (t."subStatus" = 'processing' AND t."authorizationExpiresAt" IS NOT NULL)
    )`;
/** The amount is held: the authorization was not captured, voided or expired. */
const isHeld = sql`(
      t."subStatus" = 'authorized' OR (t."subStatus" = 'processing' AND t."authorizationExpiresAt" IS NOT NULL)
    )`;
const isRefused = sql`(t.status = 'declined' OR t."subStatus" IN ('authentication_expired', 'processing_error'))`;

/**
 * The sums of the rows that `rowsOf` selects from each table, as a SELECT of `figureColumns`. Stored sums and sums at
 * query time have the same text, and the type of the stored ones: a year of stored sums is not converted. Rows on test
 * clocks have other times and are excluded.
 */
export function figuresOf(rowsOf: (table: SummedTable) => Sql): Sql {
  return sql`
    SELECT
      t."partnerId", t.mode, t."platformAccountId", ${day} AS day, t.currency,
      coalesce(t."processorId", '') AS "processorId",
      CASE WHEN ${isRefused} THEN coalesce(t."failureCode", '') ELSE '' END AS "declineCode",
      count(*) AS payments,
      count(*) FILTER (WHERE ${isApproved}) AS approved,
      count(*) FILTER (WHERE ${isRefused}) AS refused,
      coalesce(sum(t.amount) FILTER (WHERE ${isApproved}), 0)::bigint AS volume,
      0::bigint AS refunds, 0::bigint AS "refundedVolume", 0::bigint AS disputes, 0::bigint AS "disputedVolume",
      sum(t."capturedAmount")::bigint AS "capturedVolume",
      coalesce(sum(t.amount) FILTER (WHERE ${isHeld}), 0)::bigint AS "authorizedVolume"
    FROM (${rowsOf('payments')}) t
    WHERE t."testClockId" IS NULL
    GROUP BY 1, 2, 3, 4, 5, 6, 7
    UNION ALL
    SELECT
      t."partnerId", t.mode, t."platformAccountId", ${day}, t.currency, coalesce(p."processorId", ''), '',
      0, 0, 0, 0, count(*), sum(t.amount)::bigint, 0, 0, 0, 0
    FROM (${rowsOf('refunds')}) t
    JOIN payments p ON p.id = t."paymentId" AND p."testClockId" IS NULL
    WHERE t.status = 'succeeded'
    GROUP BY 1, 2, 3, 4, 5, 6
    UNION ALL
    SELECT
      t."partnerId", t.mode, t."platformAccountId", ${day}, t.currency, t."processorId", '',
      0, 0, 0, 0, 0, 0, count(*), sum(t.amount)::bigint, 0, 0
    FROM (${rowsOf('disputes')}) t
    JOIN payments p ON p.id = t."paymentId" AND p."testClockId" IS NULL
    GROUP BY 1, 2, 3, 4, 5, 6`;
}

/**
 * The accounts and days whose stored sums are not current: a row has changed since, or the version before the column
 * `capturedVolume` has summed them.
 */
export const staleDays = sql`
  SELECT c."platformAccountId", c.day FROM counters.figures_changed c
  UNION
  SELECT f."platformAccountId", f.day FROM counters.daily_figures f WHERE f."capturedVolume" IS NULL`;

/**
 * Sums days that have ended, and sums those again in which a row has changed since. Only one process does it at a time;
 * each day is one transaction, so that a crash leaves a day either summed or not.
 */
export async function sumDays(services: Services, stopping: AbortSignal = never): Promise<number> {
  let summed = 0;
  while (!stopping.aborted && (await inTransaction(services.pool, (client) => sumNextDay(services, client)))) summed++;
  while (!stopping.aborted && (await inTransaction(services.pool, sumIncompleteDay)));
  await inTransaction(services.pool, sumChangedDays);
  return summed;
}

const never = new AbortController().signal;

/** Whether a day was summed; false if none has ended, or another process is summing. */
async function sumNextDay({ clock }: Services, client: pg.ClientBase): Promise<boolean> {
  if (!(await isOnlyOne(client))) return false;
  const next = await queryRow<{ day: string; limit: string }>(
    client,
    sql`
      SELECT least(${firstDay('payments')}, ${firstDay('refunds')}, ${firstDay('disputes')}, l.day)::text AS day,
        l.day::text AS limit
      FROM counters.figures_until u, (
        -- The earlier of two clocks: a day that is over by one may go on by the other.
        SELECT ((least(${clock.earliestReal()}::timestamptz, now()) - interval '1 hour') AT TIME ZONE 'UTC')::date AS day
      ) l
      WHERE u.day < l.day`,
  );
  if (next === undefined) return false;
  const hasRows = next.day < next.limit;
  if (hasRows)
    await execute(
      client,
      sql`
        INSERT INTO counters.daily_figures (${columnList(figureColumns)})
        ${figuresOf(
          (table) => sql`
            SELECT *
            FROM ${identifier(table)} r
            WHERE r.mode IN ('live', 'test')
              AND r."createdAt" >= (${next.day}::date)::timestamp AT TIME ZONE 'UTC'
              AND r."createdAt" < (${next.day}::date + 1)::timestamp AT TIME ZONE 'UTC'`,
        )}`,
    );
  await execute(client, sql`UPDATE counters.figures_until SET day = ${next.day}::date + ${hasRows ? 1 : 0}::int`);
  return hasRows;
}

/** The day of the first row that is not summed, read from the index of each mode. */
function firstDay(table: SummedTable): Sql {
  return sql`(
    SELECT (min(f.at) AT TIME ZONE 'UTC')::date
    FROM unnest(ARRAY['live', 'test']) m (mode)
    CROSS JOIN LATERAL (
      SELECT r."createdAt" AS at
      FROM ${identifier(table)} r
      WHERE r.mode = m.mode AND r."createdAt" >= u.day::timestamp AT TIME ZONE 'UTC'
      ORDER BY r."createdAt", r.id
      LIMIT 1
    ) f
  )`;
}

/** Whether a day of the version before was summed again, which leaves out the new columns. */
async function sumIncompleteDay(client: pg.ClientBase): Promise<boolean> {
  if (!(await isOnlyOne(client))) return false;
  const marked = await execute(
    client,
    sql`
      INSERT INTO counters.figures_changed ("platformAccountId", day)
      SELECT DISTINCT f."platformAccountId", f.day
      FROM counters.daily_figures f
      WHERE f."capturedVolume" IS NULL AND f.day = (
        SELECT min(d.day)
        FROM counters.daily_figures d, counters.figures_until u
        WHERE d."capturedVolume" IS NULL AND d.day < u.day
      )`,
  );
  if (marked === 0) return false;
  await sumChangedDays(client);
  return true;
}

/**
 * One statement, so that the marks that it deletes and the rows that it reads are of one snapshot: a change that is
 * committed later has a mark that is committed later. A mark of a day that is not summed yet is not needed.
 */
async function sumChangedDays(client: pg.ClientBase): Promise<void> {
  if (!(await isOnlyOne(client))) return;
  await execute(
    client,
    sql`
      WITH taken AS (
        DELETE FROM counters.figures_changed RETURNING "platformAccountId", day
      ),
      changed AS (
        SELECT DISTINCT c."platformAccountId", c.day
        FROM taken c, counters.figures_until u
        WHERE c.day < u.day
      ),
      removed AS (
        DELETE FROM counters.daily_figures f
        USING changed c
        WHERE f."platformAccountId" = c."platformAccountId" AND f.day = c.day
      )
      INSERT INTO counters.daily_figures (${columnList(figureColumns)})
      ${figuresOf((table) => rowsOfDays('changed', table))}`,
  );
}

/** The rows of a table in the accounts and days of a CTE. */
export function rowsOfDays(days: string, table: SummedTable): Sql {
  return sql`
    SELECT r.*
    FROM ${identifier(days)} c
    JOIN ${identifier(table)} r
      ON r."platformAccountId" = c."platformAccountId"
      AND r."createdAt" >= c.day::timestamp AT TIME ZONE 'UTC'
      AND r."createdAt" < (c.day + 1)::timestamp AT TIME ZONE 'UTC'`;
}

async function isOnlyOne(client: pg.ClientBase): Promise<boolean> {
  return (await queryRow(client, sql`SELECT 1 FROM counters.figures_until FOR UPDATE SKIP LOCKED`)) !== undefined;
}

interface Verified {
  /** The number of stored figures that were compared. */
  kept: number;
  /** The accounts and days whose stored figures differ from those of their rows, at most 1,000. */
  differences: { platformAccountId: string; day: string }[];
}

/**
 * Counts days again that are already summed, in one statement, and compares. Days that are to be summed again are
 * excluded.
 */
export async function verifyFigures({ pool }: Pick<Services, 'pool'>): Promise<Verified> {
  const columns = raw(figureColumns.map((column) => `t."${column}"`).join(', '));
  const isCurrent = sql`NOT EXISTS (
      SELECT 1
      FROM stale c
      WHERE c."platformAccountId" = t."platformAccountId" AND c.day = t.day
    )`;
  const rows = await queryRows<{ kept: number; platformAccountId: string | null; day: string }>(
    pool,
    sql`
      WITH stale AS (${staleDays}),
      kept AS (SELECT ${columns} FROM counters.daily_figures t WHERE ${isCurrent}),
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
