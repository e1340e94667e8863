import type pg from 'pg';
import { sql } from '../../database/sql.ts';
import { inLoneTransaction } from '../../database/transaction.ts';
import type { PlatformClock } from '../../kit/clock.ts';
import { newId } from '../../kit/ids.ts';
import { type ModificationNotice, NoticeEarly, NoticeRefused } from '../../ports/card-processor.ts';
import { type RecordedBy, recordParts } from '../../write/records.ts';
import { assign, commitParts, rowOf } from '../../write/statement.ts';
import { postingPart } from '../ledger/public.ts';
import { orderAfterPayment, orderPart } from '../orders/public.ts';
import { stateColumns } from './lifecycle.ts';
import { modificationEndOf } from './modification-end.ts';
import { modifiedColumns } from './modification-end-statement.ts';
import { type Modification, modificationIntentOf } from './modification-intent.ts';
import { journalEntryOf, lossEntryOf, paymentEvent } from './payment-records.ts';
import type { PaymentOfAccount, PaymentRow } from './payment-rows.ts';
import { isCharge, lockPayment } from './payment-with-transactions.ts';
import { captureAmount, foundRefundAmount, type Refusal } from './policy.ts';

/**
 * Imports a capture, void or refund that was made at the processor and not by the platform. It starts and ends in one
 * database transaction, since it has happened already and must not be requested. A refund that failed is imported, too:
 * the notice that it succeeded may arrive later. Returns false if it is known already.
 */
export function importModification(
  pool: pg.Pool,
  clock: PlatformClock,
  by: RecordedBy,
  { id: paymentId, platformAccountId }: PaymentOfAccount,
  notice: ModificationNotice,
): Promise<boolean> {
  const { outcome } = notice;
  const isDone = outcome.result === 'approved';
  if (!isDone && (notice.about !== 'refund' || outcome.processorReference === null)) return Promise.resolve(false);
  return inLoneTransaction(pool, platformAccountId, async (client) => {
    const before = await lockPayment(client, paymentId);
    if (
      before.transactions.some(({ processorReference }) => processorReference === outcome.processorReference) ||
      (isDone && isDoneAlready(before.payment, notice.about))
    )
      return false;
    if (isDone && before.transactions.some(({ status }) => status === 'processing'))
      throw new NoticeEarly('Something else is under way with the payment.');
    if (!before.transactions.some(({ type, status }) => isCharge(type) && status === 'succeeded'))
      throw new NoticeEarly('The charge is not approved.');
    const request = modificationRequestOf(notice, paymentId);
    const intent = modificationIntentOf(request, before, newId('txn_', by.now), clock);
    const end = modificationEndOf(intent.payment, intent.transaction, outcome, by.now);
    const order = end.event ? await orderAfterPayment(client, end.payment) : null;
    const parts = [
      sql`resolved AS (
        UPDATE payments t
        SET ${assign(modifiedColumns)}
        FROM ${rowOf('payments', end.payment)}
        WHERE t.id = r.id
        RETURNING t.id
      )`,
      sql`added AS (INSERT INTO transactions SELECT r.* FROM resolved, ${rowOf('transactions', end.transaction)})`,
    ];
    if (intent.refund) {
      const refund = { ...intent.refund, status: end.refundStatus };
      parts.push(sql`refunded AS (INSERT INTO refunds SELECT r.* FROM resolved, ${rowOf('refunds', refund)})`);
    }
    if (end.journalEntry) {
      const journalEntry = journalEntryOf(end.journalEntry, end.payment, end.transaction);
      const loss = lossEntryOf(before.payment, end.payment, end.transaction.id);
      parts.push(postingPart([journalEntry, ...loss], by.now, 'resolved'));
    }
    if (order) parts.push(orderPart(order, 'resolved'));
    if (end.event) {
      const events = [paymentEvent(end.event, end.payment), ...(order?.events ?? [])];
      parts.push(...recordParts(by, events, [], 'resolved'));
    }
    await commitParts(client, parts, 'resolved');
    return true;
  });
}

function isDoneAlready(payment: PaymentRow, about: ModificationNotice['about']): boolean {
  if (about === 'capture') return Number(payment.capturedAmount) > 0;
  return about === 'void' && payment.status === 'failed';
}

function modificationRequestOf({ about: type, amount, outcome }: ModificationNotice, paymentId: string): Modification {
  return {
    type,
    paymentId,
    intend({ payment }, now) {
      if (type === 'capture')
        return { amount: requireFitting(captureAmount(payment, amount, now)), payment: stateColumns.processing };
      // Whether the authorization counts as voided or as expired depends on the time at which the notice arrives.
      if (type === 'void') return { amount: Number(payment.amount), payment: stateColumns.processing };
      const refunded = outcome.result === 'approved' ? requireFitting(foundRefundAmount(payment, amount)) : amount;
      return {
        amount: refunded,
        payment: { reservedAmount: Number(payment.reservedAmount) + refunded },
        refund: { id: newId('ref_', now), reason: null, metadata: {}, requestedBy: null },
      };
    },
  };
}

/** An amount that does not fit never will. A state may still change: notices arrive in any order. */
function requireFitting(decision: number | Refusal): number {
  if (typeof decision === 'number') return decision;
  throw decision.refused === 'amount' ? new NoticeRefused('amount_mismatch') : new NoticeEarly(decision.message);
}
