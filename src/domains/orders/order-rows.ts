import { tenantCondition } from '../../auth/tenancy.ts';
import { requireRow, visible } from '../../auth/visible.ts';
import type { TenantContext } from '../../call/context.ts';
import { recordset } from '../../database/recordset.ts';
import { identifier, type Sql, sql } from '../../database/sql.ts';
import type { Order as OrderRecord, Store } from '../../generated/prisma/client.ts';
import { amountMax } from '../../graph/scalars/amounts.ts';
import { Conflict, type InputIssue, InvalidInput, invalid } from '../../lib/errors.ts';
import { newId, newRow } from '../../lib/ids.ts';
import type { EventType } from '../../registry.ts';
import { type EventDraft, rowEvent } from '../../unit-of-work/records.ts';
import { assign } from '../../unit-of-work/statement.ts';
import { type Write, write } from '../../unit-of-work/write.ts';
import { touchCustomer } from '../customers/public.ts';
import { type PriceRow, pricesOf } from '../products/public.ts';
import { atStore } from '../stores/public.ts';
import { atCustomersTime } from '../test-clocks/public.ts';
import type { CreateOrderInput } from './inputs.ts';
import { mayBeCanceled } from './lifecycle.ts';

/** An order as the API returns it. Reads and events use the same object. */
export interface OrderObject {
  id: string;
  storeId: string;
  platformAccountId: string;
  customerId: string | null;
  amount: number;
  currency: string;
  items: OrderItem[];
  status: string;
  paymentId: string | null;
  metadata: unknown;
  livemode: boolean;
  createdAt: Date;
  updatedAt: Date;
}

export function orderObject(order: OrderRow): OrderObject {
  return {
    id: order.id,
    storeId: order.storeId,
    platformAccountId: order.platformAccountId,
    customerId: order.customerId,
    amount: Number(order.amount),
    currency: order.currency,
    items: order.items as OrderItem[], // written as OrderItem only
    status: order.status,
    paymentId: order.paymentId,
    metadata: order.metadata,
    livemode: order.mode === 'live',
    createdAt: order.createdAt,
    updatedAt: order.updatedAt,
  };
}

/** Amounts are numbers in rows of the SQL statements and big integers in rows of Prisma. */
export type OrderRow = Omit<OrderRecord, 'amount'> & { amount: number | bigint };

export type OrderItem = {
  id: string;
  name: string;
  quantity: number;
  unitAmount: number;
  priceId: string | null;
};

/** The event of an order, with the order as the API returns it. */
export function orderEvent(type: EventType, order: OrderRow): EventDraft {
  return rowEvent(type, order, orderObject(order));
}

type NewOrder = Pick<typeof CreateOrderInput.$inferInput, 'currency' | 'items' | 'metadata'> & {
  customerId: string | null;
  amount: number;
};

/** Adds an order within a database transaction of the caller. */
export async function addOrder(
  change: Write,
  store: Pick<Store, 'id' | 'partnerId' | 'platformAccountId' | 'mode'>,
  { customerId, amount, ...input }: NewOrder,
): Promise<OrderRecord> {
  const { tx, now } = change;
  const items = input.items.map(
    (item): OrderItem => ({
      id: newId('li_', now),
      name: item.name,
      quantity: item.quantity,
      unitAmount: item.unitAmount,
      priceId: item.priceId ?? null,
    }),
  );
  const data = {
    ...newRow('ord_', store, now),
    storeId: store.id,
    customerId,
    amount,
    currency: input.currency,
    status: 'pending',
    metadata: input.metadata ?? {},
    sequence: 1,
  };
  const order = await tx.order.create({ data: { ...data, items } });
  change.event(orderEvent('order/created', order));
  if (customerId !== null) await touchCustomer(change, customerId, { lastOrderId: order.id });
  return order;
}

type OrderInput = typeof CreateOrderInput.$inferInput;

const itemsMax = 100;

/** Adds an order, which becomes the `lastOrderId` of its customer. */
export function createOrder(context: TenantContext, input: OrderInput): Promise<OrderRecord> {
  const amount = amountOf(input);
  return atStore(context, input.storeId, (store) =>
    atCustomersTime(context, input.customerId == null ? null : { customerId: input.customerId }, () =>
      write(context, 'createOrder', async (change) => {
        const customerId = input.customerId ?? null;
        const { platformAccountId, mode } = store;
        if (customerId !== null) await requireRow(change.tx, 'customer', { id: customerId, platformAccountId, mode });
        const priceIds = input.items.flatMap(({ priceId }) => priceId ?? []);
        assertSoldAt(await pricesOf(change.tx, store, priceIds), input, store.id);
        return addOrder(change, store, { ...input, customerId, amount });
      }),
    ),
  );
}

function amountOf({ items }: OrderInput): number {
  if (items.length === 0 || items.length > itemsMax) throw invalid('items', `must contain 1 to ${itemsMax} items`);
  const amount = items.reduce((sum, { quantity, unitAmount }) => sum + quantity * unitAmount, 0);
  if (amount > amountMax) throw invalid('items', `must not exceed a total of ${amountMax}`);
  return amount;
}

/** An item that names a price must have its store, its amount and its currency. */
function assertSoldAt(prices: ReadonlyMap<string, PriceRow>, { items, currency }: OrderInput, storeId: string): void {
  const issues = items.flatMap(({ priceId, unitAmount }, index): InputIssue[] => {
    const price = priceId == null ? undefined : prices.get(priceId);
    if (!price) return [];
    const at = `items[${index}]`;
    return [
      ...(price.storeId === storeId ? [] : [{ path: `${at}.priceId`, message: 'must be a price of the store' }]),
      ...(Number(price.amount) === unitAmount
        ? []
        : [{ path: `${at}.unitAmount`, message: `must match the price: ${price.amount}` }]),
      ...(price.currency === currency
        ? []
        : [{ path: 'currency', message: `must match the price: ${price.currency}` }]),
    ];
  });
  if (issues.length > 0) throw new InvalidInput(issues);
}

/**
 * Cancels an order permanently. Its row is locked, and a charge locks it too before it adds a payment, so that of a
 * concurrent cancellation and charge one sees the change of the other.
 */
export async function cancelOrder(context: TenantContext, orderId: string): Promise<OrderRecord> {
  const { customerId } = await visible(context, 'order', orderId);
  return atCustomersTime(context, customerId === null ? null : { customerId }, () =>
    write(context, 'cancelOrder', async (change) => {
      const { tx, now } = change;
      await tx.$queryRaw(sql`
        SELECT t.id
        FROM orders t
        WHERE t.id = ${orderId} AND ${tenantCondition(context.tenant)}
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

function notCancelable({ status }: OrderRecord): Conflict {
  if (status === 'canceled') return new Conflict('invalid_state', 'The order is already canceled.');
  if (status === 'pending' || status === 'failed')
    return new Conflict('invalid_state', 'A payment of the order is in progress. Void it or wait until it completes.');
  return new Conflict(
    'invalid_state',
    `The order is ${status.replaceAll('_', ' ')}: refund the payment instead of canceling the order.`,
  );
}

/** The CTE that changes the orders of payments. `guard` names a CTE with the ids of those that changed. */
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

/** The CTE that reserves the orders of the payments in the CTE `intended`, by the requests in the CTE `asked`. */
export const orderHeldPart = sql`order_held AS (
            UPDATE orders
            SET "paymentId" = intended.id
            FROM intended
            JOIN asked ON asked.id = intended.id
            WHERE orders.id = asked."orderId"
          )`;

/** Gives an order that no payment reserves to another customer. */
export async function changeCustomer({ tx, now }: Write, orderId: string, customerId: string): Promise<void> {
  await tx.order.updateMany({ where: { id: orderId, paymentId: null }, data: { customerId, updatedAt: now } });
}
