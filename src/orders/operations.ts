import { tenantOf, tenantSql } from '../auth/tenancy.ts';
import { noSuchCustomer, touchCustomer } from '../customers/operations.ts';
import type { Order, Store } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import { date, is, oneOf } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import { amountMax } from '../graph/scalars.ts';
import { Conflict, type InputIssue, invalid, InvalidInput, NotFound } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import { write, type Write } from '../kit/write.ts';
import { pricesOf } from '../products/operations.ts';
import type { PriceRow } from '../products/types.ts';
import { atStore } from '../stores/operations.ts';
import { atCustomersTime } from '../test-clocks/operations.ts';
import { mayBeCancelled } from './lifecycle.ts';
import { type OrderItem, orderEvent } from './order-records.ts';
import type { CreateOrderInput, OrderFilters } from './schema.ts';

export { orderAfterPayment, orderPart } from './follow-payment.ts';
export { mayBePaid } from './lifecycle.ts';

const orderList: ListDefinition<typeof OrderFilters.$inferInput> = {
  table: 'orders',
  sorts: { createdAt: 'createdAt', amount: 'amount' },
  filters: {
    status: oneOf('status'),
    currency: oneOf('currency'),
    customerId: is('customerId'),
    storeId: oneOf('storeId'),
    createdAt: date('createdAt'),
  },
  counted: true,
  cursor: true,
};

export function listOrders(
  context: KeyContext,
  args: ListArguments<typeof OrderFilters.$inferInput>,
): Promise<Page<Order>> {
  return readList(context.env.pool, context.caller, orderList, args);
}

export async function readOrder(context: KeyContext, orderId: string): Promise<Order> {
  const order = await context.env.prisma.order.findFirst({ where: { ...tenantOf(context.caller), id: orderId } });
  if (!order) throw noSuchOrder();
  return order;
}

type OrderInput = typeof CreateOrderInput.$inferInput;

const itemsMax = 100;

/** Adds an order, which becomes its customer's last one. */
export function createOrder(context: KeyContext, input: OrderInput): Promise<Order> {
  const amount = amountOf(input);
  return atStore(context, 'createOrder', input.storeId, (store) =>
    atCustomersTime(context, input.customerId == null ? null : { customerId: input.customerId }, () =>
      write(context, 'createOrder', async (change) => {
        const customerId = input.customerId ?? null;
        const { platformAccountId, mode } = store;
        if (
          customerId !== null &&
          !(await change.tx.customer.findFirst({
            where: { id: customerId, platformAccountId, mode },
            select: { id: true },
          }))
        )
          throw noSuchCustomer();
        assertSoldAt(
          await pricesOf(
            change.tx,
            store,
            input.items.flatMap(({ priceId }) => priceId ?? []),
          ),
          input,
          store.id,
        );
        return addOrder(change, store, { ...input, customerId, amount });
      }),
    ),
  );
}

type NewOrder = Pick<OrderInput, 'currency' | 'items' | 'metadata'> & { customerId: string | null; amount: number };

/** Adds an order within a change that is under way. */
export async function addOrder(
  change: Write,
  { id: storeId, partnerId, platformAccountId, mode }: Pick<Store, 'id' | 'partnerId' | 'platformAccountId' | 'mode'>,
  { customerId, amount, ...input }: NewOrder,
): Promise<Order> {
  const { tx, now } = change;
  const items = input.items.map(
    (item): OrderItem => ({
      id: newId('lineItem', now),
      name: item.name,
      quantity: item.quantity,
      unitAmount: item.unitAmount,
      priceId: item.priceId ?? null,
    }),
  );
  const data = {
    id: newId('order', now),
    partnerId,
    platformAccountId,
    mode,
    storeId,
    customerId,
    amount,
    currency: input.currency,
    status: 'pending',
    metadata: (input.metadata ?? {}) as never,
    sequence: 1,
    createdAt: now,
    updatedAt: now,
  }; // the scalar has checked that metadata is plain JSON
  const order = await tx.order.create({ data: { ...data, items: items as never } }); // items are plain JSON
  change.event(orderEvent('order/created', order));
  if (customerId !== null) await touchCustomer(change, customerId, { lastOrderId: order.id });
  return order;
}

function amountOf({ items }: OrderInput): number {
  if (items.length === 0 || items.length > itemsMax) throw invalid('items', `must have 1 to ${itemsMax} entries`);
  const amount = items.reduce((sum, { quantity, unitAmount }) => sum + quantity * unitAmount, 0);
  if (amount > amountMax) throw invalid('items', `must come to at most ${amountMax} in all`);
  return amount;
}

/** An item that names a price is sold at it: in its store, for its amount, in its currency. */
function assertSoldAt(prices: ReadonlyMap<string, PriceRow>, { items, currency }: OrderInput, storeId: string): void {
  const issues = items.flatMap(({ priceId, unitAmount }, index): InputIssue[] => {
    const price = priceId == null ? undefined : prices.get(priceId);
    if (!price) return [];
    const at = `items[${index}]`;
    return [
      ...(price.storeId === storeId ? [] : [{ path: `${at}.priceId`, message: 'must be a price of the store' }]),
      ...(Number(price.amount) === unitAmount
        ? []
        : [{ path: `${at}.unitAmount`, message: `must be that of the price, ${price.amount}` }]),
      ...(price.currency === currency
        ? []
        : [{ path: 'currency', message: `must be that of the price, ${price.currency}` }]),
    ];
  });
  if (issues.length > 0) throw new InvalidInput(issues);
}

/**
 * Calls an order off for good. Its row is locked, as a charge locks it before it writes a payment: of the two at once one finds
 * what the other has left.
 */
export async function cancelOrder(context: KeyContext, orderId: string): Promise<Order> {
  const { customerId } = await readOrder(context, orderId);
  return atCustomersTime(context, customerId === null ? null : { customerId }, () =>
    write(context, 'cancelOrder', async (change) => {
      const { tx, now } = change;
      const values: unknown[] = [];
      const bind = (value: unknown) => `$${values.push(value)}`;
      await tx.$queryRawUnsafe(
        `SELECT t.id FROM orders t WHERE t.id = ${bind(orderId)} AND ${tenantSql(context.caller, bind)} FOR NO KEY UPDATE`,
        ...values,
      );
      const before = await tx.order.findUniqueOrThrow({ where: { id: orderId } });
      if (!mayBeCancelled(before)) throw notCancellable(before);
      const cancelled = await tx.order.update({
        where: { id: orderId },
        data: { status: 'cancelled', sequence: before.sequence + 1, updatedAt: now },
      });
      change.event(orderEvent('order/cancelled', cancelled));
      return cancelled;
    }),
  );
}

function notCancellable({ status }: Order): Conflict {
  if (status === 'cancelled') return new Conflict('invalid_state', 'The order is cancelled already.');
  if (status === 'pending' || status === 'failed')
    return new Conflict('invalid_state', 'A payment of the order is under way: void it, or wait for its end.');
  return new Conflict(
    'invalid_state',
    `The order is ${status.replaceAll('_', ' ')}: what was paid is refunded, not cancelled.`,
  );
}

export function noSuchOrder(): NotFound {
  return new NotFound('There is no such order.');
}
