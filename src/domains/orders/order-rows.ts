import type { Order, Store } from '../../generated/prisma/client.ts';
import { NotFound } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import type { Write } from '../../write/write.ts';
import { touchCustomer } from '../customers/public.ts';
import type { CreateOrderInput } from './inputs.ts';
import { type OrderItem, orderEvent } from './order-records.ts';

type NewOrder = Pick<typeof CreateOrderInput.$inferInput, 'currency' | 'items' | 'metadata'> & {
  customerId: string | null;
  amount: number;
};

/** Adds an order within a database transaction of the caller. */
export async function addOrder(
  change: Write,
  { id: storeId, partnerId, platformAccountId, mode }: Pick<Store, 'id' | 'partnerId' | 'platformAccountId' | 'mode'>,
  { customerId, amount, ...input }: NewOrder,
): Promise<Order> {
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
    id: newId('ord_', now),
    partnerId,
    platformAccountId,
    mode,
    storeId,
    customerId,
    amount,
    currency: input.currency,
    status: 'pending',
    metadata: input.metadata ?? {},
    sequence: 1,
    createdAt: now,
    updatedAt: now,
  };
  const order = await tx.order.create({ data: { ...data, items } });
  change.event(orderEvent('order/created', order));
  if (customerId !== null) await touchCustomer(change, customerId, { lastOrderId: order.id });
  return order;
}

export function noSuchOrder(): NotFound {
  return new NotFound('There is no such order.');
}
