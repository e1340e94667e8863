import type pg from 'pg';
import { execute, queryRow, sql } from '../../database/sql.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { ModificationOutcome } from '../../ports/card-processor.ts';
import { type RecordedBy, recordParts } from '../../write/records.ts';
import { answerRunning, assign, commitParts, rowOf } from '../../write/statement.ts';
import { postingPart } from '../ledger/public.ts';
import { orderAfterPayment, orderPart } from '../orders/public.ts';
import { closedColumns } from './charge-outcome-rows.ts';
import { modificationEndOf } from './modification-end.ts';
import { journalEntryOf, lossEntryOf, paymentEvent } from './payment-records.ts';
import type { ModificationResult, RefundRow, TransactionRow } from './payment-rows.ts';
import { lockPayment, transactionOf } from './payment-with-transactions.ts';

/**
 * Commits the outcome of a modification: payment, transaction, refund, postings, event, and the answer of the call in
 * progress. If the outcome was recorded before, by that call or by a job, nothing is written and the current rows are
 * the answer.
 */
export function commitModificationEnd(
  pool: pg.Pool,
  by: RecordedBy,
  paymentId: string,
  transactionId: string,
  outcome: ModificationOutcome,
): Promise<ModificationResult> {
  return inTransaction(pool, async (client) => {
    const before = await lockPayment(client, paymentId);
    const transaction = transactionOf(before, transactionId);
    const refund = await refundOf(client, transaction);
    if (transaction.status !== 'processing') return { ...before, refund };

    const end = modificationEndOf(before.payment, transaction, outcome, by.now);
    const result: ModificationResult = {
      payment: end.payment,
      transactions: before.transactions.map((other) => (other === transaction ? end.transaction : other)),
      refund: refund && end.refundStatus ? { ...refund, status: end.refundStatus, updatedAt: by.now } : refund,
    };
    const order = end.event ? await orderAfterPayment(client, end.payment) : null;
    const parts = [
      sql`resolved AS (
        UPDATE payments t
        SET ${assign(modifiedColumns)}
        FROM ${rowOf('payments', end.payment)}
        WHERE t.id = r.id
        RETURNING t.id
      )`,
      sql`closed AS (
        UPDATE transactions t
        SET ${assign(closedColumns)}
        FROM ${rowOf('transactions', end.transaction)}
        WHERE t.id = r.id
      )`,
    ];
    if (result.refund)
      parts.push(sql`refunded AS (
        UPDATE refunds t
        SET ${assign(['status', 'updatedAt'])}
        FROM ${rowOf('refunds', result.refund)}
        WHERE t.id = r.id
      )`);
    if (end.journalEntry) {
      const journalEntry = journalEntryOf(end.journalEntry, end.payment, end.transaction);
      const loss = lossEntryOf(before.payment, end.payment, end.transaction.id);
      parts.push(postingPart([journalEntry, ...loss], by.now, 'resolved'));
    }
    if (order) parts.push(orderPart(order, 'resolved'));
    const events = end.event ? [paymentEvent(end.event, end.payment), ...(order?.events ?? [])] : [];
    parts.push(...recordParts(by, events, [], 'resolved'));
    parts.push(sql`answered AS (${answerRunning(result, transactionId)})`);
    await commitParts(client, parts, 'resolved');
    return result;
  });
}

/** Stores the current rows as the answer of a call whose outcome is unknown, and returns them. */
export function commitModificationUnknown(
  pool: pg.Pool,
  paymentId: string,
  transactionId: string,
): Promise<ModificationResult> {
  return inTransaction(pool, async (client) => {
    const found = await lockPayment(client, paymentId);
    const transaction = found.transactions.find(({ id }) => id === transactionId);
    const result = { ...found, refund: transaction ? await refundOf(client, transaction) : null };
    await execute(client, answerRunning(result, transactionId));
    return result;
  });
}

/** The columns of a payment that change with the outcome of a modification. */
export const modifiedColumns = [
  'status',
  'subStatus',
  'capturedAmount',
  'refundedAmount',
  'reservedAmount',
  'authorizationExpiresAt',
  'voidedAt',
  'failureMessage',
  'sequence',
  'updatedAt',
];

async function refundOf(client: pg.ClientBase, transaction: TransactionRow): Promise<RefundRow | null> {
  if (transaction.type !== 'refund') return null;
  const refund = await queryRow<RefundRow>(
    client,
    sql`SELECT * FROM refunds WHERE "transactionId" = ${transaction.id}`,
  );
  return refund ?? null;
}
