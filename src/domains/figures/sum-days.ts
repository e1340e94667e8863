import type pg from 'pg';
import { columnList, execute, identifier, queryRow, type Sql, sql } from '../../database/sql.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { Services } from '../../services.ts';
import { figureColumns, figuresOf, type SummedTable } from './figure-rows.ts';

/**
 * Sums days that are over, and again those in which a row has changed since. One process at a time; each day is one
 * transaction, so that a process that dies leaves a day summed or not.
 */
export async function sumDays(services: Services, stopping: AbortSignal = never): Promise<number> {
  let summed = 0;
  while (!stopping.aborted && (await inTransaction(services.pool, (client) => sumNextDay(services, client)))) summed++;
  await inTransaction(services.pool, sumChangedDays);
  return summed;
}

const never = new AbortController().signal;

/** Whether a day was summed; false if none is over, or another process is at it. */
async function sumNextDay({ clock }: Services, client: pg.ClientBase): Promise<boolean> {
  if (!(await isOnlyOne(client))) return false;
  const next = await queryRow<{ day: string; limit: string }>(
    client,
    sql`
      SELECT least(${firstDay('payments')}, ${firstDay('refunds')}, ${firstDay('disputes')}, l.day)::text AS day,
        l.day::text AS limit
      FROM counters.figures_until u, (
        -- The earlier of two clocks: a day that is over by one may go on by the other.
        SELECT ((least(${clock.realPassed()}::timestamptz, now()) - interval '1 hour') AT TIME ZONE 'UTC')::date AS day
      ) l
      WHERE u.day < l.day`,
  );
  if (next === undefined) return false;
  const hasRows = next.day < next.limit;
  if (hasRows)
    await execute(
      client,
      sql`
        INSERT INTO counters.figures (${columnList(figureColumns)})
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

/** The day of the first row that is not summed, read along the index of each mode. */
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

/**
 * One statement, so that the marks which it takes and the rows which it reads are of one moment: a change that is
 * committed later has left a mark that is committed later. A mark of a day that is not summed yet is needless.
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
        DELETE FROM counters.figures f
        USING changed c
        WHERE f."platformAccountId" = c."platformAccountId" AND f.day = c.day
      )
      INSERT INTO counters.figures (${columnList(figureColumns)})
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
