import './schema.ts';
import type { Domain } from '../../domain.ts';

export const ordersDomain = {
  name: 'orders',
  reference: {
    title: 'Orders',
    description: 'What is paid for. The status of an order follows the payment that names it.',
  },
  idPrefixes: { order: 'ord_', lineItem: 'li_' },
  eventTypes: ['order/created', 'order/paid', 'order/failed', 'order/refunded', 'order/refundFailed', 'order/canceled'],
} as const satisfies Domain;
