import type pg from 'pg';
import type { BigTenant } from './tenants.ts';

/**
 * Payments that were charged, or only authorized, with the processor's records of them: what a run refunds or captures.
 */
export async function addChargedPayments(
  pool: pg.Pool,
  { partnerId, accountId, storeId }: BigTenant,
  { run, count, isHeld }: { run: number; count: number; isHeld: boolean },
): Promise<void> {
  const amount = 1_000_000;
  const captured = isHeld ? 0 : amount;
  await pool.query(
    `INSERT INTO payments (
        id, "partnerId", "platformAccountId", mode, "storeId", "customerId", "paymentInstrumentId", amount, currency,
        "capturedAmount", status, "subStatus", "processorId", "authorizationExpiresAt", "cardLast4", "customerEmailLower",
        sequence, "createdAt", "updatedAt"
      )
      SELECT
        'pay_bench' || $1 || 'x' || n, $2, $3, 'test', $4, i."customerId", i.id, $5::bigint, 'USD', $6,
        CASE WHEN $7 THEN 'pending' ELSE 'succeeded' END, CASE WHEN $7 THEN 'authorized' ELSE 'captured' END,
        'proc_bench', CASE WHEN $7 THEN now() + interval '7 days' END, '4242', 'bench@example.com', 2, now(), now()
      FROM generate_series(0, $8::int - 1) n,
        (SELECT id, "customerId" FROM payment_instruments WHERE "platformAccountId" = $3 LIMIT 1) i`,
    [String(run), partnerId, accountId, storeId, amount, captured, isHeld, Math.ceil(count)],
  );
  await pool.query(
    `INSERT INTO transactions (
        id, "paymentId", "partnerId", "platformAccountId", mode, type, status, amount, currency, "processorId",
        "processorType", "processorReference", "askedAt", "createdAt", "updatedAt"
      )
      SELECT
        replace(id, 'pay_', 'txn_'), id, "partnerId", "platformAccountId", mode,
        CASE WHEN $2 THEN 'authorization' ELSE 'purchase' END, 'succeeded', amount, currency, "processorId", 'test',
        replace(id, 'pay_', 'tp_ch_'), now(), now(), now()
      FROM payments
      WHERE starts_with(id, $1)`,
    [`pay_bench${run}x`, isHeld],
  );
  await pool.query(
    `INSERT INTO test_processor.charges (
        reference, "processorReference", amount, currency, capture, "cardLast4", verdict, challenge, "answerLost",
        "capturedAmount", "createdAt", "updatedAt"
      )
      SELECT id, "processorReference", amount, currency, NOT $2, '4242', 'approved', 'none', false, $3, now(), now()
      FROM transactions
      WHERE starts_with("paymentId", $1)`,
    [`pay_bench${run}x`, isHeld, captured],
  );
}
