import type pg from 'pg';
import { queryRow, sql } from '../../database/sql.ts';
import type { ProcessorRecords, ProcessorRecordsPage, RecordedCharge } from '../../ports/processor-records.ts';
import { toldRefundedAmount } from './test-refund-failures.ts';

const pageSizeMax = 10_000;

export async function readProcessorRecords(
  pool: pg.Pool,
  { after = '', limit = 1000 }: ProcessorRecordsPage = {},
): Promise<ProcessorRecords> {
  const pageSize = Math.min(limit, pageSizeMax);
  // One statement, so that the totals and the charges are of the same snapshot.
  const row = await queryRow<{ totals: TotalsRow[] | null; charges: RecordedCharge[] | null }>(
    pool,
    sql`
      SELECT
        (
          SELECT json_agg(t ORDER BY t.currency)
          FROM (
            SELECT
              currency,
              count(*) AS charges,
              sum("capturedAmount")::text AS captured,
              sum(${toldRefundedAmount})::text AS refunded,
              coalesce(sum(amount) FILTER (WHERE status = 'authorized'), 0)::text AS held
            FROM test_processor.charges c
            GROUP BY currency
          ) t
        ) AS totals,
        (
          SELECT json_agg(c ORDER BY c.reference)
          FROM (
            SELECT
              reference, "processorReference", status, currency, amount, "capturedAmount",
              ${toldRefundedAmount} AS "refundedAmount"
            FROM test_processor.charges c
            WHERE reference > ${after}
            ORDER BY reference
            LIMIT ${pageSize}
          ) c
        ) AS charges`,
  );
  const charges = row?.charges ?? [];
  const totals = (row?.totals ?? []).map(({ currency, charges: count, captured, refunded, held }) => ({
    currency,
    charges: count,
    captured: BigInt(captured),
    refunded: BigInt(refunded),
    held: BigInt(held),
  }));
  return { totals, charges, next: charges.length < pageSize ? null : (charges.at(-1)?.reference ?? null) };
}

interface TotalsRow {
  currency: string;
  charges: number;
  captured: string;
  refunded: string;
  held: string;
}
