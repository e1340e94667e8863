import type pg from 'pg';

export interface BooksPage {
  /** The last reference of the page before. */
  after?: string;
  limit?: number;
}

/** The test processor's side of a reconciliation: the sums over everything, and the charges one by one. */
export interface Books {
  totals: CurrencyTotals[];
  /** In order of reference. */
  charges: BookedCharge[];
  /** Where the next page goes on; null after the last one. */
  next: string | null;
}

export interface CurrencyTotals {
  currency: string;
  charges: number;
  /** Minor units; big, since a sum may leave the range in which a number is exact. */
  captured: bigint;
  refunded: bigint;
  /** Authorized and neither captured nor let go of. */
  held: bigint;
}

export interface BookedCharge {
  reference: string;
  processorReference: string;
  status: string;
  currency: string;
  amount: number;
  capturedAmount: number;
  refundedAmount: number;
}

const pageSizeMax = 10_000;

export async function readBooks(pool: pg.Pool, { after = '', limit = 1000 }: BooksPage = {}): Promise<Books> {
  const pageSize = Math.min(limit, pageSizeMax);
  // One statement, so that totals and charges are of one moment.
  const { rows } = await pool.query<{ totals: TotalsRow[] | null; charges: BookedCharge[] | null }>(
    `SELECT
       (SELECT json_agg(t ORDER BY t.currency) FROM (
          SELECT "currency", count(*)::int AS charges, sum("capturedAmount")::text AS captured, sum("refundedAmount")::text AS refunded,
                 coalesce(sum("amount") FILTER (WHERE "status" = 'authorized'), 0)::text AS held
          FROM test_processor.charges GROUP BY "currency") t) AS totals,
       (SELECT json_agg(c ORDER BY c.reference) FROM (
          SELECT "reference", "processorReference", "status", "currency", "amount", "capturedAmount", "refundedAmount"
          FROM test_processor.charges WHERE "reference" > $1 ORDER BY "reference" LIMIT $2) c) AS charges`,
    [after, pageSize],
  );
  const charges = rows[0]?.charges ?? [];
  const totals = (rows[0]?.totals ?? []).map(({ currency, charges: count, captured, refunded, held }) => ({
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
