import { recordset } from '../../database/recordset.ts';
import { identifier, type Queryable, queryRow, type Sql, sql } from '../../database/sql.ts';
import type { EventDraft } from '../../unit-of-work/records.ts';
import { assign, recordOf } from '../../unit-of-work/statement.ts';
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

/** The CTE that changes the order. `guard` names a CTE that must have found a row. */
export function orderPart({ order }: OrderChange, guard: string): Sql {
  return sql`order_followed AS (
    UPDATE orders t
    SET ${assign(['status', 'paymentId', 'sequence', 'updatedAt'])}
    FROM ${recordOf('orders', order)}
    WHERE t.id = r.id AND EXISTS (SELECT 1 FROM ${identifier(guard)})
  )`;
}

/** As `orderPart`, for the orders of several payments. `guard` names a CTE with the ids of those that changed. */
export function ordersPart(changes: readonly { paymentId: string; order: OrderRow }[], guard: string): Sql {
  const columns = { status: 'text', paymentId: 'text', sequence: 'int', updatedAt: 'timestamptz' };
  const rows = changes.map(({ paymentId, order }) => ({ changeId: paymentId, ...order }));
  return sql`order_followed AS (
    UPDATE orders t
    SET ${assign(Object.keys(columns))}
    FROM ${identifier(guard)} g
    JOIN ${recordset('r', { changeId: 'text', id: 'text', ...columns }, 'id', rows)} ON r."changeId" = g.id
    WHERE t.id = r.id
  )`;
}
