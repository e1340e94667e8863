/** What an order can be (contract 9). It follows its payments, until it is cancelled. */
export const orderStatuses = ['pending', 'paid', 'partially_refunded', 'refunded', 'failed', 'cancelled'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

type OrderEvent = 'order/paid' | 'order/failed' | 'order/refunded';

/** Where an order goes, and whether it is free for another payment. */
export interface OrderStep {
  status: OrderStatus;
  event: OrderEvent | null;
  free: boolean;
}

/** A payment takes an order that nobody pays yet. One that failed may be tried again. */
export function mayBePaid(order: { status: string; paymentId: string | null }): boolean {
  return (order.status === 'pending' || order.status === 'failed') && order.paymentId === null;
}

/** An order that nobody pays may be called off for good; what was paid is refunded, and what is held is voided. */
export const mayBeCancelled = mayBePaid;

/** What a payment that has come to `status` makes of the order it holds; null when it makes nothing of it. */
export function stepAfter(order: { status: string }, payment: { status: string }): OrderStep | null {
  switch (payment.status) {
    case 'succeeded':
      return { status: 'paid', event: 'order/paid', free: false };
    case 'declined':
    case 'failed':
      // A second failure is no change to tell of, but it lets go of the order.
      return { status: 'failed', event: order.status === 'failed' ? null : 'order/failed', free: true };
    case 'partially_refunded':
      return { status: 'partially_refunded', event: 'order/refunded', free: false };
    case 'refunded':
      return { status: 'refunded', event: 'order/refunded', free: false };
    default:
      return null;
  }
}
