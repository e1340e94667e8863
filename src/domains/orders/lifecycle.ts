/** The statuses of an order (docs/contract/09-public-endpoints.md). They follow its payments until it is canceled. */
export const orderStatuses = ['pending', 'paid', 'partially_refunded', 'refunded', 'failed', 'canceled'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

export type OrderEvent = 'order/paid' | 'order/failed' | 'order/refunded' | 'order/refundFailed';

/** The next status of an order, and whether another payment may pay it then. */
interface OrderStep {
  status: OrderStatus;
  event: OrderEvent | null;
  releasesOrder: boolean;
}

/** Whether a payment may pay the order: no payment reserves it. An order whose payment failed may be paid again. */
export function mayBePaid(order: { status: string; paymentId: string | null }): boolean {
  return (order.status === 'pending' || order.status === 'failed') && order.paymentId === null;
}

/** Only an order that no payment reserves may be canceled: a paid one is refunded, an authorized one is voided. */
export function mayBeCanceled(order: { status: string; paymentId: string | null }): boolean {
  return mayBePaid(order);
}

/** The step of an order after its payment has reached a status; null if the order does not change. */
export function stepAfter(order: { status: string }, payment: { status: string }): OrderStep | null {
  switch (payment.status) {
    case 'succeeded':
      return { status: 'paid', event: 'order/paid', releasesOrder: false };
    case 'declined':
    case 'failed':
      // A second failure does not change the status and has no event, but it releases the order.
      return { status: 'failed', event: order.status === 'failed' ? null : 'order/failed', releasesOrder: true };
    case 'partially_refunded':
      return { status: 'partially_refunded', event: 'order/refunded', releasesOrder: false };
    case 'refunded':
      return { status: 'refunded', event: 'order/refunded', releasesOrder: false };
    default:
      return null;
  }
}
