import { type PeopleVisibility, tenantCondition } from '../../../auth/tenancy.ts';
import { readFromReplica } from '../../../database/replica.ts';
import { columnList, constant, empty, identifier, queryRows, raw, type Sql, sql } from '../../../database/sql.ts';
import type { Services } from '../../../services.ts';
import { figureColumns, figuresOf, isSumOfAmounts, rowsOfDays, staleDays, summedColumns } from './sum-days.ts';

/** What figures are grouped by, in addition to the currency. */
const figureKeys = {
  day: sql`t.day`,
  processor: sql`t."processorId"`,
  processorType: sql`coalesce(p.type, '')`,
  currency: sql`t.currency`,
  declineCode: sql`t."declineCode"`,
} as const;
export type FigureKey = keyof typeof figureKeys;

export interface Figure {
  key: string;
  currency: string;
  payments: number;
  approved: number;
  refused: number;
  /** Sums of amounts are decimal texts, which are exact and have no bound. */
  volume: string;
  refunds: number;
  refundedVolume: string;
  disputes: number;
  disputedVolume: string;
  capturedVolume: string;
  authorizedVolume: string;
}

interface RequestedFigures {
  visibility: PeopleVisibility;
  platformAccountId: string | null;
  /** Days in UTC, both included. */
  from: string;
  to: string;
  by: FigureKey;
}

/** The maximum number of returned rows: those with the most payments. A year of days in one currency has 366. */
export const figuresMax = 2_000;

/**
 * Figures of a span of days: from the stored sums of days, except for accounts and days that have changed since, which
 * are summed from their rows. One statement, so that nothing is counted twice while a day is being summed.
 */
export function readFigures({ pool }: Pick<Services, 'pool'>, requested: RequestedFigures): Promise<Figure[]> {
  const { visibility, from, to, by } = requested;
  const key = figureKeys[by];
  const condition = conditionOf(requested);
  const statement = sql`
      WITH changed AS MATERIALIZED (
        SELECT c."platformAccountId", c.day
        FROM (${staleDays}) c, counters.figures_until u
        WHERE c.day BETWEEN ${from}::date AND ${to}::date AND c.day < u.day
      ),
      figures AS (
        SELECT ${columnList(figureColumns)}
        FROM counters.daily_figures t
        WHERE ${condition} AND t.day BETWEEN ${from}::date AND ${to}::date AND NOT EXISTS (
          SELECT 1 FROM changed c WHERE c."platformAccountId" = t."platformAccountId" AND c.day = t.day
        )
        UNION ALL
        (${figuresOf((table) => sql`SELECT t.* FROM (${rowsOfDays('changed', table)}) t WHERE ${condition}`)})
        UNION ALL
        (${figuresOf(
          (table) => sql`
            SELECT t.*
            FROM ${identifier(table)} t
            WHERE ${condition}
              AND t."createdAt" >= greatest(${from}::date, (SELECT u.day FROM counters.figures_until u))::timestamp
                AT TIME ZONE 'UTC'
              AND t."createdAt" < (${to}::date + 1)::timestamp AT TIME ZONE 'UTC'`,
        )})
      )
      SELECT ${key}::text AS key, t.currency, ${sums}
      FROM figures t
      ${by === 'processorType' ? sql`LEFT JOIN processors p ON p.id = t."processorId"` : empty}
      GROUP BY ${key}, t.currency
      ${by === 'declineCode' ? sql`HAVING sum(t.refused) > 0` : empty}
      ORDER BY ${by === 'day' ? sql`1 DESC` : sql`sum(t.payments) DESC`}, 1, 2
      LIMIT ${constant(figuresMax)}`;
  return readFromReplica(pool, visibility.replica, (source) => queryRows<Figure>(source, statement));
}

function conditionOf({ visibility, platformAccountId }: RequestedFigures): Sql {
  return platformAccountId === null
    ? tenantCondition(visibility)
    : sql`${tenantCondition(visibility)} AND t."platformAccountId" = ${platformAccountId}`;
}

const sums = raw(
  summedColumns
    .map((column) => `sum(t."${column}")::${isSumOfAmounts(column) ? 'text' : 'bigint'} AS "${column}"`)
    .join(', '),
);
