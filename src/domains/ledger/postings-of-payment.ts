import type { Pool } from 'pg';
import { queryRows, sql } from '../../database/sql.ts';
import type { PostingRow } from './types.ts';

/** The postings of a payment, the oldest first. The caller must have checked that the payment is visible. */
export function postingsOfPayment(pool: Pool, paymentId: string): Promise<PostingRow[]> {
  return queryRows(
    pool,
    sql`
      SELECT "movementId", account, currency, amount, "createdAt"
      FROM ledger.postings
      WHERE "paymentId" = ${paymentId}
      ORDER BY "createdAt", "movementId", account
      LIMIT 1000`,
  );
}
