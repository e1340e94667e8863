import type { EventType } from '../../domains.ts';
import type { Order as OrderRecord } from '../../generated/prisma/client.ts';
import type { EventDraft } from '../../write/records.ts';
import { rowEvent } from '../../write/row-event.ts';
import { orderObject } from './order-object.ts';

/** Amounts are numbers in rows of the SQL statements and big integers in rows of Prisma. */
export type OrderRow = Omit<OrderRecord, 'amount'> & { amount: number | bigint };

export type OrderItem = {
  id: string;
  name: string;
  quantity: number;
  unitAmount: number;
  priceId: string | null;
};

/** The event of an order, with the order as the API answers it. */
export function orderEvent(type: EventType, order: OrderRow): EventDraft {
  return rowEvent(type, order, orderObject(order));
}
