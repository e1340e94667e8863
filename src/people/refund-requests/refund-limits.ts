import { type Queryable, queryRow, sql } from '../../database/sql.ts';

/** A payment as the limit of its currency sees it. */
interface LimitedPayment {
  id: string;
  mode: string;
  currency: string;
}

interface Standing {
  limit: string | null;
  refunded: string;
}

/**
 * The largest refund of a payment that a person may make alone; null if there is no limit for its currency. What people
 * have refunded of the payment before counts, so that a refund cannot be divided into small ones.
 */
export async function refundableAlone(database: Queryable, payment: LimitedPayment): Promise<number | null> {
  const row = await queryRow<Standing>(
    database,
    sql`
      SELECT
        (SELECT l.amount FROM refund_limits l WHERE l.mode = ${payment.mode} AND l.currency = ${payment.currency})
          AS limit,
        coalesce(sum(r.amount) FILTER (WHERE r."requestedBy" IS NOT NULL AND r.status <> 'failed'), 0) AS refunded
      FROM refunds r
      WHERE r."paymentId" = ${payment.id}`,
  );
  if (row === undefined || row.limit === null) return null;
  return Math.max(0, Number(row.limit) - 1 - Number(row.refunded));
}
