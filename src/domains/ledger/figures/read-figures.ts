import { type PeopleVisibility, tenantCondition } from '../../../auth/tenancy.ts';
import { readFromReplica } from '../../../database/replica.ts';
import { columnList, constant, empty, identifier, join, queryRows, raw, type Sql, sql } from '../../../database/sql.ts';
import type { Services } from '../../../services.ts';
import { figureColumns, figuresOf, isSumOfAmounts, rowsOfDays, staleDays, summedColumns } from './sum-days.ts';

/** What figures are grouped by, in addition to the currency: the name of a column, and its value. */
const figureKeys = {
  day: ['day', sql`t.day`],
  processor: ['processorId', sql`t."processorId"`],
  processorType: ['processorType', sql`coalesce(p.type, '')`],
  currency: ['currency', sql`t.currency`],
  declineCode: ['declineCode', sql`t."declineCode"`],
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

export interface FiguresSpan {
  visibility: PeopleVisibility;
  platformAccountId: string | null;
  /** Days in UTC, both included. */
  from: string;
  to: string;
}

/** The maximum number of returned rows: those with the most payments. A year of days in one currency has 366. */
export const figuresMax = 2_000;

/**
 * Figures of a span of days, a list for each key: from the stored sums of days, except for accounts and days that have
 * changed since, which are summed from their rows. One statement, so that nothing is counted twice while a day is being
 * summed, and that reads the stored sums, which are many, once.
 */
export async function readFigures(
  { pool }: Pick<Services, 'pool'>,
  span: FiguresSpan,
  keys: readonly FigureKey[],
): Promise<Figure[][]> {
  const { visibility, from, to } = span;
  const condition = conditionOf(span);
  const columns = [...new Set<FigureKey>(['currency', ...keys])].map((key) => figureKeys[key]);
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
      ),
      sums AS MATERIALIZED (
        SELECT ${join(columns.map(([name, value]) => sql`${value} AS ${identifier(name)}`))}, ${sumsOf(() => '')}
        FROM figures t
        ${keys.includes('processorType') ? sql`LEFT JOIN processors p ON p.id = t."processorId"` : empty}
        GROUP BY ${join(columns.map(([, value]) => value))}
      )
      ${join(keys.map(figuresBy), ' UNION ALL ')}`;
  const rows = await readFromReplica(pool, visibility.replica, (source) =>
    queryRows<Figure & { by: FigureKey }>(source, statement),
  );
  const byKey = Map.groupBy(rows, ({ by }) => by);
  return keys.map((key) => byKey.get(key) ?? []);
}

function conditionOf({ visibility, platformAccountId }: FiguresSpan): Sql {
  return platformAccountId === null
    ? tenantCondition(visibility)
    : sql`${tenantCondition(visibility)} AND t."platformAccountId" = ${platformAccountId}`;
}

/** The rows of one key, from the sums by all keys that were requested. */
function figuresBy(key: FigureKey): Sql {
  const column = identifier(`t.${figureKeys[key][0]}`);
  return sql`(
        SELECT ${key}::text AS by, ${column}::text AS key, t.currency, ${finalSums}
        FROM sums t
        GROUP BY ${column}, t.currency
        ${key === 'declineCode' ? sql`HAVING sum(t.refused) > 0` : empty}
        ORDER BY ${key === 'day' ? sql`2 DESC` : sql`sum(t.payments) DESC`}, 2, 3
        LIMIT ${constant(figuresMax)}
      )`;
}

/** Sums of amounts are exact as texts only. */
const finalSums = sumsOf((column) => (isSumOfAmounts(column) ? '::text' : '::bigint'));

function sumsOf(typeOf: (column: (typeof summedColumns)[number]) => string): Sql {
  return raw(summedColumns.map((column) => `sum(t."${column}")${typeOf(column)} AS "${column}"`).join(', '));
}
