import { execute, type Queryable, queryRow, queryRows, sql } from '../../database/sql.ts';
import type { Mode } from '../../lib/ids.ts';
import type { Difference } from './verify-ledger.ts';

/** The latest verification of the ledger. */
export interface LedgerCheck {
  at: Date;
  differenceCount: number;
  /** The first of them. */
  differences: Difference[];
}

/** A difference with the payment that it is about; null if it is about none, or about one that is unknown here. */
export type LinkedDifference = Difference & { paymentId: string | null };

/** The maximum number of listed differences. Further ones are only counted. */
export const differencesShownMax = 100;

/** Stores the result of a verification in place of the one before, unless that is newer. */
export async function storeCheck(
  database: Queryable,
  { mode, at, differences }: { mode: Mode | null; at: Date; differences: readonly Difference[] },
): Promise<void> {
  const shown = differences.slice(0, differencesShownMax).map(({ about, message }) => ({ about, message }));
  await execute(
    database,
    sql`
      INSERT INTO ledger.checks AS c (mode, at, "differenceCount", differences)
      VALUES (${mode ?? 'both'}, ${at}, ${differences.length}, ${JSON.stringify(shown)}::jsonb)
      ON CONFLICT (mode) DO UPDATE SET
        at = excluded.at,
        "differenceCount" = excluded."differenceCount",
        differences = excluded.differences
      WHERE c.at <= excluded.at`,
  );
}

/** The latest verification that covered a mode. Null if there was none. */
export async function latestCheck(database: Queryable, mode: Mode): Promise<LedgerCheck | null> {
  const latest = await queryRow<LedgerCheck>(
    database,
    sql`
      SELECT at, "differenceCount", differences
      FROM ledger.checks
      WHERE mode IN (${mode}, 'both')
      ORDER BY at DESC
      LIMIT 1`,
  );
  return latest ?? null;
}

/** Adds the payment of each difference. If it is about a transaction, a refund or a dispute, the payment is theirs. */
export async function linkDifferences(
  database: Queryable,
  differences: readonly Difference[],
): Promise<LinkedDifference[]> {
  if (differences.length === 0) return [];
  const rows = await queryRows<{ about: string; paymentId: string }>(
    database,
    sql`
      SELECT a.about, found."paymentId"
      FROM unnest(${differences.map(({ about }) => about)}::text[]) a(about)
      CROSS JOIN LATERAL (
        SELECT id AS "paymentId" FROM payments WHERE id = a.about
        UNION ALL
        SELECT "paymentId" FROM transactions WHERE id = a.about OR "processorReference" = a.about
        UNION ALL
        SELECT "paymentId" FROM refunds WHERE id = a.about
        UNION ALL
        SELECT "paymentId" FROM disputes WHERE id = a.about
        LIMIT 1
      ) found`,
  );
  const payments = new Map(rows.map(({ about, paymentId }) => [about, paymentId]));
  return differences.map((difference) => ({ ...difference, paymentId: payments.get(difference.about) ?? null }));
}
