import { type Sql, sql } from '../../database/sql.ts';

/** The tables whose rows are summed, each by its own time. */
export type SummedTable = 'payments' | 'refunds' | 'disputes';

/** Columns of what is counted and summed. */
export const summedColumns = [
  'payments',
  'approved',
  'refused',
  'volume',
  'refunds',
  'refundedVolume',
  'disputes',
  'disputedVolume',
] as const;

/**
 * Whether a column sums amounts; the others count. One account and day is kept as bigint, which 92 million payments of
 * the largest amount fill; together they have no bound.
 */
export function isSumOfAmounts(column: (typeof summedColumns)[number]): boolean {
  return column === 'volume' || column === 'refundedVolume' || column === 'disputedVolume';
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
/** The charge was approved, whatever became of the authorization. A capture or void of it may be in flight. */
const isApproved = sql`(
      t.status IN ('succeeded', 'partially_refunded', 'refunded')
      OR t."subStatus" IN ('authorized', 'voided', 'expired')
      OR (t."subStatus" = 'processing' AND t."authorizationExpiresAt" IS NOT NULL)
    )`;
const isRefused = sql`(t.status = 'declined' OR t."subStatus" IN ('authentication_expired', 'processing_error'))`;

/**
 * The sums of the rows that `rowsOf` gives of each table, as a SELECT of `figureColumns`. What is kept and what is
 * summed when somebody asks have the same text. Rows on test clocks happened in other times and are left out.
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
      coalesce(sum(t.amount) FILTER (WHERE ${isApproved}), 0) AS volume,
      0::bigint AS refunds, 0::numeric AS "refundedVolume", 0::bigint AS disputes, 0::numeric AS "disputedVolume"
    FROM (${rowsOf('payments')}) t
    WHERE t."testClockId" IS NULL
    GROUP BY 1, 2, 3, 4, 5, 6, 7
    UNION ALL
    SELECT
      t."partnerId", t.mode, t."platformAccountId", ${day}, t.currency, coalesce(p."processorId", ''), '',
      0, 0, 0, 0, count(*), sum(t.amount), 0, 0
    FROM (${rowsOf('refunds')}) t
    JOIN payments p ON p.id = t."paymentId" AND p."testClockId" IS NULL
    WHERE t.status = 'succeeded'
    GROUP BY 1, 2, 3, 4, 5, 6
    UNION ALL
    SELECT
      t."partnerId", t.mode, t."platformAccountId", ${day}, t.currency, t."processorId", '',
      0, 0, 0, 0, 0, 0, count(*), sum(t.amount)
    FROM (${rowsOf('disputes')}) t
    JOIN payments p ON p.id = t."paymentId" AND p."testClockId" IS NULL
    GROUP BY 1, 2, 3, 4, 5, 6`;
}
