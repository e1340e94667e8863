import type pg from 'pg';
import type { EventDraft } from '../kit/records.ts';
import { stepAfter } from './lifecycle.ts';
import { type OrderRow, orderEvent } from './order-records.ts';

/** An order's change, to be written in the statement that changes its payment. */
export interface OrderChange {
  order: OrderRow;
  /** How many events the order had before. */
  sequenceBefore: number;
  events: EventDraft[];
}

/** What the change of a payment makes of its order. Reads the order: only the payment that holds it changes it. */
export async function orderAfterPayment(
  database: Pick<pg.ClientBase, 'query'>,
  payment: { orderId: string | null; status: string; updatedAt: Date },
): Promise<OrderChange | null> {
  if (payment.orderId === null) return null;
  const { rows } = await database.query<OrderRow>({
    name: 'order-of-payment',
    text: 'SELECT * FROM orders WHERE id = $1',
    values: [payment.orderId],
  });
  const [order] = rows;
  if (!order) throw new Error(`There is no order ${payment.orderId}.`);
  return changeOf(order, payment);
}

function changeOf(order: OrderRow, payment: { status: string; updatedAt: Date }): OrderChange | null {
  const step = stepAfter(order, payment);
  if (!step) return null;
  const changed = {
    ...order,
    status: step.status,
    updatedAt: payment.updatedAt,
    sequence: order.sequence + (step.event ? 1 : 0),
    ...(step.free && { paymentId: null }),
  };
  return {
    order: changed,
    sequenceBefore: order.sequence,
    events: step.event ? [orderEvent(step.event, changed)] : [],
  };
}

/** The part of a statement that writes it. `guard` names a part that must have found a row. */
export function orderPart({ order }: OrderChange, row: (table: string, of: object) => string, guard: string): string {
  return `order_followed AS (UPDATE orders t SET status = r.status, "paymentId" = r."paymentId", sequence = r.sequence, "updatedAt" = r."updatedAt" FROM ${row('orders', order)} WHERE t.id = r.id AND EXISTS (SELECT 1 FROM ${guard}))`;
}
