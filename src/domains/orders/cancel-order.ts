import { tenantCondition } from '../../auth/tenancy.ts';
import { sql } from '../../database/sql.ts';
import type { Order } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { Conflict } from '../../kit/errors.ts';
import { write } from '../../write/write.ts';
import { atCustomersTime } from '../test-clocks/public.ts';
import { mayBeCanceled } from './lifecycle.ts';
import { orderEvent } from './order-records.ts';
import { readOrder } from './read-order.ts';

/**
 * Cancels an order permanently. Its row is locked, as a charge locks it before it adds a payment: of a cancellation and
 * a charge at the same time, one sees the change of the other.
 */
export async function cancelOrder(context: KeyContext, orderId: string): Promise<Order> {
  const { customerId } = await readOrder(context, orderId);
  return atCustomersTime(context, customerId === null ? null : { customerId }, () =>
    write(context, 'cancelOrder', async (change) => {
      const { tx, now } = change;
      await tx.$queryRaw(sql`
        SELECT t.id
        FROM orders t
        WHERE t.id = ${orderId} AND ${tenantCondition(context.caller)}
        FOR NO KEY UPDATE`);
      const before = await tx.order.findUniqueOrThrow({ where: { id: orderId } });
      if (!mayBeCanceled(before)) throw notCancelable(before);
      const canceled = await tx.order.update({
        where: { id: orderId },
        data: { status: 'canceled', sequence: before.sequence + 1, updatedAt: now },
      });
      change.event(orderEvent('order/canceled', canceled));
      return canceled;
    }),
  );
}

function notCancelable({ status }: Order): Conflict {
  if (status === 'canceled') return new Conflict('invalid_state', 'The order is canceled already.');
  if (status === 'pending' || status === 'failed')
    return new Conflict('invalid_state', 'A payment of the order is under way: void it, or wait for its end.');
  return new Conflict(
    'invalid_state',
    `The order is ${status.replaceAll('_', ' ')}: what was paid is refunded, not canceled.`,
  );
}
