import { builder } from '../../graph/builder.ts';
import { storedColumn } from '../../graph/shared-types.ts';
import type { OrderStatus as Status } from './lifecycle.ts';
import type { OrderItem, OrderObject } from './order-rows.ts';

export const OrderStatus = builder.enumType('OrderStatus', {
  description: 'The status of an order. It follows the payments of the order; `canceled` is final.',
  values: {
    pending: { description: 'No payment has paid the order yet, or its payment is authorized or in progress.' },
    paid: { description: 'The order is paid in full.' },
    partially_refunded: { description: 'A part of the paid amount was refunded.' },
    refunded: { description: 'The whole paid amount was refunded.' },
    failed: { description: 'The last payment of the order failed. Another payment may pay it.' },
    canceled: { description: 'The order was canceled before it was paid. Final.' },
  } as const satisfies Record<Status, object>,
});

const OrderItemRef = builder.objectRef<OrderItem>('OrderItem').implement({
  description: 'A line item of an order.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the line item, prefix `li_`.' }),
    name: t.expose('name', { type: 'Name', description: 'The name of the item.' }),
    quantity: t.expose('quantity', { type: 'Quantity', description: 'The number of units.' }),
    unitAmount: t.expose('unitAmount', {
      type: 'Amount',
      description: 'The amount of one unit in minor units of the currency.',
    }),
    priceId: t.exposeID('priceId', {
      nullable: true,
      description: 'The price at which the item is sold, prefix `price_`. Null if the item names none.',
    }),
  }),
});

export const Order = builder.objectRef<OrderObject>('Order').implement({
  description: 'The items that a customer buys. One payment pays the whole order.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the order, prefix `ord_`.' }),
    storeId: t.exposeID('storeId', { description: 'The store of the order, prefix `store_`.' }),
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'The processing account that the order belongs to, prefix `tpa_`.',
    }),
    customerId: t.exposeID('customerId', {
      nullable: true,
      description: 'The customer who buys, prefix `cus_`. Null if the order has no customer.',
    }),
    amount: t.expose('amount', {
      type: 'Amount',
      description: 'The sum of all line items in minor units of the currency.',
    }),
    currency: t.expose('currency', { type: 'Currency', description: 'The currency of the order, an ISO 4217 code.' }),
    items: t.field({
      type: [OrderItemRef],
      description: 'The line items of the order.',
      resolve: (order) => order.items,
    }),
    // a CHECK constraint holds the column to the enum
    status: t.field({
      type: OrderStatus,
      description: 'The status of the order.',
      ...storedColumn('status'),
    }),
    paymentId: t.exposeID('paymentId', {
      nullable: true,
      description:
        'The payment that paid the order or is in progress, prefix `pay_`. Null if there is none: a payment that ' +
        'fails releases the order.',
    }),
    metadata: t.expose('metadata', { type: 'Metadata', description: 'Key-value pairs stored with the order.' }),
    livemode: t.exposeBoolean('livemode', { description: 'True in live mode, false in test mode.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the order was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time at which the order last changed.' }),
  }),
});
