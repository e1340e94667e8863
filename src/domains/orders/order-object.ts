import type { OrderItem, OrderRow } from './order-records.ts';

/** An order as the API answers it. Reads and events use the same object. */
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
