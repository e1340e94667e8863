import { type Writer, write } from '../../write/write.ts';
import { countDecline } from '../instruments/public.ts';
import { eventOfPayment } from './lifecycle.ts';
import { moveSession } from './move-session.ts';
import { lockSession } from './session-records.ts';

/**
 * Applies every final outcome of the order's payments to the order's session. An order is linked to its session before
 * a charge, so the call that charged and, after a crash, the job find the same payments. The event of each payment is
 * stored under a unique key, so that it is applied once.
 */
export function followOrder(writer: Writer, orderId: string): Promise<void> {
  return write({ ...writer, idempotency: null }, 'followOrder', async (change) => {
    const { tx } = change;
    const known = await tx.funnelOrder.findUniqueOrThrow({ where: { orderId } });
    let session = await lockSession(tx, known.sessionId);
    const payments = await tx.payment.findMany({ where: { orderId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
    const recorded = await tx.funnelEvent.findMany({
      where: { paymentId: { in: payments.map(({ id }) => id) } },
      select: { paymentId: true },
    });
    const recordedIds = new Set(recorded.map(({ paymentId }) => paymentId));
    const kind = known.kind as 'checkout' | 'offer'; // a CHECK constraint limits the column to the two
    for (const payment of payments) {
      const type = recordedIds.has(payment.id) ? null : eventOfPayment(payment.status, kind);
      if (type === null) continue;
      if (payment.status === 'declined') await countDecline(change, writer.services, session.id, payment);
      await moveSession(change, session, {
        id: `payment:${payment.id}`,
        type,
        data: { paymentId: payment.id },
        stepId: known.stepId,
        variantId: known.variantId,
        payment,
      });
      session = await tx.funnelSession.findUniqueOrThrow({ where: { id: session.id } });
    }
    // After a decline the next attempt may be starting, whose payment is not visible yet, so the order stays open.
    if (payments.some(({ status }) => status !== 'pending' && status !== 'declined' && status !== 'failed'))
      await tx.funnelOrder.updateMany({ where: { orderId, open: true }, data: { open: false } });
  });
}
