import type { EventType } from '../../domains.ts';
import type { Order as OrderRecord } from '../../generated/prisma/client.ts';
import type { Mode } from '../../kit/mode.ts';
import type { EventDraft } from '../../write/records.ts';
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
  const { partnerId, platformAccountId, storeId, mode, id: objectId, sequence } = order;
  return {
    type,
    partnerId,
    platformAccountId,
    mode: mode as Mode,
    storeId,
    objectId,
    sequence,
    object: orderObject(order),
  }; // a CHECK constraint holds mode to the two of its account
}
