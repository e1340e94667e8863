import type pg from 'pg';
import type { PlatformClock } from '../kit/clock.ts';
import { newId } from '../kit/ids.ts';
import { recordParts, type RecordedBy } from '../kit/records.ts';
import { inTransaction } from '../kit/transaction.ts';
import { Conflict } from '../kit/errors.ts';
import { postingPart } from '../ledger/operations.ts';
import { orderAfterPayment, orderPart } from '../orders/operations.ts';
import type { FollowUpNotice } from '../ports/card-processor.ts';
import { type FollowUp, intentOf, permitted } from './follow-up.ts';
import { followUpEnd } from './follow-up-end.ts';
import { lockPayment } from './follow-up-statements.ts';
import { stateColumns } from './lifecycle.ts';
import { movementOf, paymentEvent } from './payment-records.ts';
import { captureAmount, refundAmount } from './policy.ts';
import { assign, statement } from './statement.ts';
import type { PaymentRow } from './types.ts';

/**
 * Takes over what was done at the processor without us: a capture, void or refund on its own pages. Begun and ended in one
 * transaction, since it has happened already, and must never be asked for. False when we have it, or it tells nothing new.
 */
export function takeOverFollowUp(
  pool: pg.Pool,
  clock: PlatformClock,
  by: RecordedBy,
  paymentId: string,
  notice: FollowUpNotice,
): Promise<boolean> {
  const { outcome } = notice;
  if (outcome.result !== 'approved') return Promise.resolve(false);
  return inTransaction(pool, async (client) => {
    const before = await lockPayment(client, paymentId, () => 'true');
    if (
      before.transactions.some(({ processorReference }) => processorReference === outcome.processorReference) ||
      isDone(before.payment, notice.about)
    )
      return false;
    if (before.transactions.some(({ status }) => status === 'processing'))
      throw new Conflict('invalid_state', 'Something else is under way with the payment: send the event again.');
    const intent = intentOf(askedOf(notice, paymentId), before, newId('transaction', by.now), clock);
    const end = followUpEnd(intent.payment, intent.transaction, outcome, by.now);
    const { parts, bind, row, commit } = statement();
    parts.push(
      `settled AS (UPDATE payments t SET ${assign(['status', 'subStatus', 'capturedAmount', 'refundedAmount', 'reservedAmount', 'authorizationExpiresAt', 'voidedAt', 'failureMessage', 'sequence', 'updatedAt'])} FROM ${row('payments', end.payment)} WHERE t.id = r.id RETURNING t.id)`,
    );
    parts.push(`told AS (INSERT INTO transactions SELECT r.* FROM settled, ${row('transactions', end.transaction)})`);
    if (intent.refund)
      parts.push(
        `refunded AS (INSERT INTO refunds SELECT r.* FROM settled, ${row('refunds', { ...intent.refund, status: 'succeeded' })})`,
      );
    if (end.movement)
      parts.push(postingPart([movementOf(end.movement, end.payment, end.transaction)], by.now, bind, 'settled'));
    const order = end.event ? await orderAfterPayment(client, end.payment) : null;
    if (order) parts.push(orderPart(order, row, 'settled'));
    if (end.event)
      parts.push(
        ...recordParts(by, [paymentEvent(end.event, end.payment), ...(order?.events ?? [])], [], bind, 'settled'),
      );
    await commit(client, 'settled');
    return true;
  });
}

function isDone(payment: PaymentRow, about: FollowUpNotice['about']): boolean {
  if (about === 'capture') return Number(payment.capturedAmount) > 0;
  return about === 'void' && payment.status === 'failed';
}

function askedOf({ about: type, amount }: FollowUpNotice, paymentId: string): FollowUp {
  return {
    type,
    paymentId,
    intend({ payment }, now) {
      if (type === 'capture')
        return { amount: permitted(captureAmount(payment, amount, now)), payment: stateColumns.processing };
      // Let go of there: whether its time was over here is decided by when we hear of it.
      if (type === 'void') return { amount: Number(payment.amount), payment: stateColumns.processing };
      const refunded = permitted(refundAmount(payment, amount));
      return {
        amount: refunded,
        payment: { reservedAmount: Number(payment.reservedAmount) + refunded },
        refund: { id: newId('refund', now), reason: null, metadata: {} },
      };
    },
  };
}
