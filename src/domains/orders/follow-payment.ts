import { type Queryable, queryRow, sql } from '../../database/sql.ts';
import type { EventDraft } from '../../unit-of-work/records.ts';
import { type OrderEvent, stepAfter } from './lifecycle.ts';
import { type OrderRow, orderEvent } from './order-rows.ts';

/** The change of an order, written by the statement that changes its payment. */
export interface OrderChange {
  order: OrderRow;
  /** The sequence of the order before the change. */
  sequenceBefore: number;
  events: EventDraft[];
}

/**
 * The change of an order that follows its payment. The order needs no lock, since only the payment that reserves it
 * changes it. `event` is passed if the event does not follow from the status of the payment: an order is not paid a
 * second time because a refund has failed.
 */
export async function orderAfterPayment(
  database: Queryable,
  payment: { orderId: string | null; status: string; updatedAt: Date },
  event?: OrderEvent,
): Promise<OrderChange | null> {
  if (payment.orderId === null) return null;
  const order = await queryRow<OrderRow>(database, sql`SELECT * FROM orders WHERE id = ${payment.orderId}`);
  if (!order) throw new Error(`There is no order ${payment.orderId}.`);
  return changeOf(order, payment, event);
}

function changeOf(
  order: OrderRow,
  payment: { status: string; updatedAt: Date },
  event: OrderEvent | undefined,
): OrderChange | null {
  const found = stepAfter(order, payment);
  if (!found) return null;
  const step = event ? { ...found, event } : found;
  const changed = {
    ...order,
    status: step.status,
    updatedAt: payment.updatedAt,
    sequence: order.sequence + (step.event ? 1 : 0),
    ...(step.releasesOrder && { paymentId: null }),
  };
  return {
    order: changed,
    sequenceBefore: order.sequence,
    events: step.event ? [orderEvent(step.event, changed)] : [],
  };
}
