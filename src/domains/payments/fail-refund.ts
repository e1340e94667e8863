import type pg from 'pg';
import { sql } from '../../database/sql.ts';
import { inLoneTransaction } from '../../database/transaction.ts';
import { type RecordedBy, recordParts } from '../../write/records.ts';
import { assign, commitParts, rowOf } from '../../write/statement.ts';
import { postingPart } from '../ledger/public.ts';
import { orderAfterPayment, orderPart } from '../orders/public.ts';
import { closedColumns } from './closed-transactions.ts';
import { applyTrigger, incrementSequence } from './modification-end.ts';
import { modifiedColumns } from './modification-end-statement.ts';
import { journalEntryOf, lossEntryOf, paymentEvent } from './payment-records.ts';
import type { PaymentOfAccount, PaymentRow, TransactionRow } from './payment-rows.ts';
import { lockPayment, transactionOf } from './payment-with-transactions.ts';

/**
 * Takes back a refund that failed after it succeeded: its amount is captured again and can be refunded again. Payment,
 * transaction, refund, order, the reversed postings and the events change in one statement. Returns false if the refund
 * is failed already.
 */
export function failRefund(
  pool: pg.Pool,
  by: RecordedBy,
  { id: paymentId, platformAccountId }: PaymentOfAccount,
  transactionId: string,
): Promise<boolean> {
  return inLoneTransaction(pool, platformAccountId, async (client) => {
    const before = await lockPayment(client, paymentId);
    const transaction = transactionOf(before, transactionId);
    if (transaction.status !== 'succeeded') return false;
    const failed: TransactionRow = {
      ...transaction,
      status: 'failed',
      failureCode: 'processing_error',
      updatedAt: by.now,
    };
    const payment = paymentWithoutRefund(before.payment, Number(transaction.amount), by.now);
    const order = await orderAfterPayment(client, payment, 'order/refund_failed');
    const causeId = `${transaction.id}:failed`;
    const refunded = journalEntryOf('refund', payment, transaction);
    const reversed = { ...refunded, movementId: causeId, amount: -refunded.amount };
    const parts = [
      sql`resolved AS (
        UPDATE payments t
        SET ${assign(modifiedColumns)}
        FROM ${rowOf('payments', payment)}
        WHERE t.id = r.id
        RETURNING t.id
      )`,
      sql`closed AS (
        UPDATE transactions t
        SET ${assign(closedColumns)}
        FROM ${rowOf('transactions', failed)}
        WHERE t.id = r.id
      )`,
      sql`refunded AS (
        UPDATE refunds
        SET status = 'failed', "updatedAt" = ${by.now}
        WHERE "transactionId" = ${transaction.id}
      )`,
      postingPart([reversed, ...lossEntryOf(before.payment, payment, causeId)], by.now, 'resolved'),
    ];
    if (order) parts.push(orderPart(order, 'resolved'));
    const events = [paymentEvent('payment/refund_failed', payment), ...(order?.events ?? [])];
    parts.push(...recordParts(by, events, [], 'resolved'));
    return commitParts(client, parts, 'resolved');
  });
}

function paymentWithoutRefund(payment: PaymentRow, amount: number, now: Date): PaymentRow {
  const refundedAmount = Number(payment.refundedAmount) - amount;
  const trigger = refundedAmount === 0 ? 'allRefundsFailed' : 'refundFailed';
  return incrementSequence({ ...applyTrigger(payment, trigger, now), refundedAmount });
}
