import { createHash, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { newId } from '../../../src/lib/ids.ts';
import type { FloorParts } from './charge.ts';
import type { FloorKey } from './server.ts';

/*
 * A hand-written capture and refund: the payment is locked, what is reserved is committed, the processor is asked, and
 * the payment is locked again for the outcome.
 */

type Type = 'capture' | 'refund';

interface PaymentRow {
  id: string;
  partnerId: string;
  platformAccountId: string;
  mode: string;
  storeId: string;
  amount: string;
  currency: string;
  capturedAmount: string;
  refundedAmount: string;
  reservedAmount: string;
  status: string;
  sequence: number;
}

const lockSql = 'SELECT * FROM payments WHERE id = $1 AND "platformAccountId" = $2 FOR NO KEY UPDATE';

const reserveSql = `WITH claimed AS (
    INSERT INTO idempotency_records (owner, operation, key, "requestHash", "subjectId", "createdAt")
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT DO NOTHING
    RETURNING 1
  ),
  reserved AS (
    UPDATE payments SET "reservedAmount" = "reservedAmount" + $7, "updatedAt" = $6
    FROM claimed
    WHERE id = $8
    RETURNING payments.*
  ),
  attempted AS (
    INSERT INTO transactions (
      id, "paymentId", "partnerId", "platformAccountId", mode, type, status, amount, currency, "processorId",
      "processorType", "askedAt", "createdAt", "updatedAt"
    )
    SELECT
      $5, id, "partnerId", "platformAccountId", mode, $9, 'processing', $10, currency, "processorId", 'test', $6, $6, $6
    FROM reserved
  ),
  refund AS (
    INSERT INTO refunds (
      id, "paymentId", "transactionId", "partnerId", "platformAccountId", mode, amount, currency, status, "createdAt",
      "updatedAt"
    )
    SELECT $11, id, $5, "partnerId", "platformAccountId", mode, $10, currency, 'pending', $6, $6
    FROM reserved
    WHERE $9 = 'refund'
  )
  SELECT t."processorReference" AS "authorizationReference"
  FROM reserved
  JOIN transactions t ON t."paymentId" = reserved.id AND t.type IN ('purchase', 'authorization')`;

const endSql = `WITH resolved AS (
    UPDATE payments SET
      status = $2, "subStatus" = $3, "capturedAmount" = $4, "refundedAmount" = $5, "reservedAmount" = $6,
      sequence = $7, "updatedAt" = $8, "authorizationExpiresAt" = NULL
    WHERE id = $1
    RETURNING *
  ),
  closed AS (
    UPDATE transactions SET status = 'succeeded', "processorReference" = $10, "updatedAt" = $8 WHERE id = $9
  ),
  refunded AS (
    UPDATE refunds SET status = 'succeeded', "updatedAt" = $8 WHERE "transactionId" = $9
  ),
  posted AS (
    INSERT INTO ledger.postings (
      "journalEntryId", account, "paymentId", "platformAccountId", "partnerId", mode, currency, amount, "createdAt"
    )
    SELECT $9, l.account, id, "platformAccountId", "partnerId", mode, currency, l.sign * $11::bigint, $8
    FROM resolved, (VALUES ($12, 1), ($13, -1)) l(account, sign)
  ),
  events_written AS (
    INSERT INTO events (
      id, type, mode, "partnerId", "platformAccountId", "storeId", "objectId", sequence, "requestId", data, "createdAt"
    )
    SELECT $14, $15, mode, "partnerId", "platformAccountId", "storeId", id, $7, $16, $17, $8
    FROM resolved
  ),
  answered AS (
    UPDATE idempotency_records SET answer = $18::json WHERE "subjectId" = $9 AND answer IS NULL
  )
  SELECT 1 FROM resolved`;

export async function modify(
  { pool, processor }: FloorParts,
  type: Type,
  key: FloorKey,
  idempotencyKey: string,
  requested: { paymentId: string; amount: number },
): Promise<object> {
  const { paymentId, amount } = requested;
  const { platformAccountId } = key;
  const now = new Date();
  const transactionId = newId('txn_', now);
  const requestHash = createHash('sha256').update(JSON.stringify(requested)).digest('base64url');
  const reserved = await locked(pool, paymentId, platformAccountId, async (client, payment) => {
    const rest = Number(payment.capturedAmount) - Number(payment.refundedAmount) - Number(payment.reservedAmount);
    if (type === 'refund' ? rest < amount : payment.status !== 'pending') throw new Error('This cannot be changed.');
    const values = [
      platformAccountId,
      `${type}Payment`,
      idempotencyKey,
      requestHash,
      transactionId,
      now,
      type === 'refund' ? amount : 0,
      paymentId,
      type,
      amount,
      newId('re_', now),
    ];
    const { rows } = await client.query<{ authorizationReference: string }>({
      name: 'reserve',
      text: reserveSql,
      values,
    });
    if (!rows[0]) throw new Error('The Idempotency-Key was used before.');
    return { currency: payment.currency, ...rows[0] };
  });
  const outcome = await processor[type]({
    processor: { id: 'proc_bench', options: {}, secrets: {} },
    reference: transactionId,
    amount,
    ...reserved,
  });
  if (outcome.result !== 'approved') throw new Error('Everything in the bench is approved.');
  return locked(pool, paymentId, platformAccountId, async (client, payment) => {
    const at = new Date();
    const refundedAmount = Number(payment.refundedAmount) + (type === 'refund' ? amount : 0);
    const capturedAmount = type === 'capture' ? amount : Number(payment.capturedAmount);
    const after = {
      ...payment,
      status: refundedAmount === 0 ? 'succeeded' : refundedAmount < capturedAmount ? 'partially_refunded' : 'refunded',
      subStatus: type === 'capture' ? 'captured' : null,
      capturedAmount,
      refundedAmount,
      reservedAmount: Number(payment.reservedAmount) - (type === 'refund' ? amount : 0),
      sequence: payment.sequence + 1,
      updatedAt: at,
    };
    const [debit, credit] =
      type === 'capture' ? ['processor_receivable', 'merchant_balance'] : ['refunds', 'processor_receivable'];
    const answer = { payment: after, transaction: { id: transactionId, amount, status: 'succeeded' } };
    const values = [
      paymentId,
      after.status,
      after.subStatus,
      capturedAmount,
      refundedAmount,
      after.reservedAmount,
      after.sequence,
      at,
      transactionId,
      outcome.processorReference,
      amount,
      debit,
      credit,
      newId('evt_', at),
      type === 'capture' ? 'payment/captured' : 'payment/refunded',
      randomUUID(),
      JSON.stringify({ object: after }),
      JSON.stringify(answer),
    ];
    await client.query({ name: 'end', text: endSql, values });
    return answer;
  });
}

async function locked<Result>(
  pool: pg.Pool,
  paymentId: string,
  platformAccountId: string,
  act: (client: pg.PoolClient, payment: PaymentRow) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<PaymentRow>({
      name: 'lock',
      text: lockSql,
      values: [paymentId, platformAccountId],
    });
    if (!rows[0]) throw new Error('Payment not found.');
    const result = await act(client, rows[0]);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
