import type pg from 'pg';
import { loneStatements } from '../../database/lone-statements.ts';
import { execute, queryRow, sql } from '../../database/sql.ts';
import { toJson } from '../../kit/json.ts';
import { claimPart, type IdempotencyRecordKey } from '../../write/idempotency.ts';
import type { RecordedBy } from '../../write/records.ts';
import { answerRunning, commitParts } from '../../write/statement.ts';
import type { PaymentRow, PaymentWithTransactions, TransactionRow } from './payment-rows.ts';

/**
 * Returns a challenged payment to `processing`, which only one of several calls can do. The payment is locked before
 * the idempotency key is claimed: a key claimed for a payment that another call continues would never get an answer.
 */
export function commitContinuation(
  pool: pg.Pool,
  by: RecordedBy,
  recordKey: IdempotencyRecordKey | null,
  payment: PaymentRow,
  attempt: TransactionRow,
  askedAt: Date,
): Promise<boolean> {
  const parts = [
    sql`found AS (
      SELECT id
      FROM payments
      WHERE id = ${payment.id} AND status = 'pending' AND "subStatus" = 'requires_action'
      FOR NO KEY UPDATE
    )`,
    ...(recordKey ? [sql`claimed AS (${claimPart(recordKey, payment.id, { from: 'found' })})`] : []),
    sql`moved AS (
      UPDATE payments
      SET "subStatus" = 'processing', "requireAction" = NULL, "requireActionData" = NULL, "updatedAt" = ${by.now}
      WHERE id = ${payment.id} AND EXISTS (SELECT 1 FROM ${recordKey ? sql`claimed` : sql`found`})
      RETURNING id
    )`,
    sql`asked AS (
      UPDATE transactions
      SET status = 'processing', "askedAt" = ${askedAt}, "updatedAt" = ${by.now}
      WHERE id = ${attempt.id} AND EXISTS (SELECT 1 FROM moved)
    )`,
  ];
  return loneStatements(pool).run(payment.platformAccountId, () => commitParts(pool, parts, 'moved', { brief: true }));
}

/** Whether the attempt was continued by the call that noted this time. True or null, as an earlier try of a commit. */
export async function wasAsked(pool: pg.Pool, attemptId: string, askedAt: Date): Promise<true | null> {
  const found = await queryRow(
    pool,
    sql`SELECT 1 FROM transactions WHERE id = ${attemptId} AND status = 'processing' AND "askedAt" = ${askedAt}`,
  );
  return found ? true : null;
}

/** The rows as `commitContinuation` has left them. */
export function continuedState(
  { payment, transactions }: PaymentWithTransactions,
  attempt: TransactionRow,
  askedAt: Date,
): PaymentWithTransactions {
  return {
    payment: { ...payment, subStatus: 'processing', requireAction: null, requireActionData: null },
    transactions: [...transactions.slice(0, -1), { ...attempt, status: 'processing', askedAt }],
  };
}

/** Stores the answer of a call whose outcome is unknown: the payment in `processing`. */
export async function commitUnknown(pool: pg.Pool, state: PaymentWithTransactions): Promise<void> {
  // An outcome that is known by now keeps the answer that reports it.
  await execute(pool, answerRunning(state, state.payment.id));
}

/** Stores the answer of a call that changed nothing. Returns false if its key belongs to an earlier call. */
export async function commitUnchanged(
  pool: pg.Pool,
  recordKey: IdempotencyRecordKey,
  state: PaymentWithTransactions,
): Promise<boolean> {
  return (await execute(pool, claimPart(recordKey, state.payment.id, { answer: toJson(state) }))) === 1;
}
