import type { Order as OrderRecord } from '../generated/prisma/client.ts';
import type { EventType } from '../kit/event-types.ts';
import type { Mode } from '../kit/mode.ts';
import type { EventDraft } from '../kit/records.ts';

/** Amounts come as numbers from our own statements and as big integers from Prisma. */
export type OrderRow = Omit<OrderRecord, 'amount'> & { amount: number | bigint };

export interface OrderItem {
  id: string;
  name: string;
  quantity: number;
  unitAmount: number;
  priceId: string | null;
}

/** The event of an order, with the order as the API shows it. */
export function orderEvent(type: EventType, order: OrderRow): EventDraft {
  const { partnerId, mode, sequence, ...shown } = order;
  const { platformAccountId, storeId, id: objectId } = order;
  return {
    type,
    partnerId,
    platformAccountId,
    mode: mode as Mode,
    storeId,
    objectId,
    sequence,
    object: { ...shown, livemode: mode === 'live' },
  }; // a CHECK constraint holds mode to the two of its account
}
