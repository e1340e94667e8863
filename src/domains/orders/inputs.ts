import { builder } from '../../graph/builder.ts';

const OrderItemInput = builder.inputType('OrderItemInput', {
  description: 'A line item of the order to create.',
  fields: (t) => ({
    name: t.field({ type: 'Name', required: true, description: 'The name of the item.' }),
    quantity: t.field({ type: 'Quantity', required: true, description: 'The number of units, 1 to 1,000,000.' }),
    unitAmount: t.field({
      type: 'Amount',
      required: true,
      description: 'The amount of one unit in minor units of the currency.',
    }),
    priceId: t.id({
      description:
        'The price at which the item is sold, prefix `price_`. Its store, currency and amount must be those of the ' +
        'order and the item, otherwise 400. 404 if the account has no such price.',
    }),
  }),
});

export const CreateOrderInput = builder.inputType('CreateOrderInput', {
  description: 'The order to create.',
  fields: (t) => ({
    storeId: t.id({
      description:
        'The store to create the order in, prefix `store_`. Required with a partner key, and with a sub-key whose ' +
        'account has several stores. Defaults to the only store of the account.',
    }),
    customerId: t.id({
      description: 'The customer who buys, prefix `cus_`. 404 if the account has no such customer.',
    }),
    currency: t.field({
      type: 'Currency',
      required: true,
      description: 'The currency of the order, an ISO 4217 code. A payment of the order must be in it.',
    }),
    items: t.field({
      type: [OrderItemInput],
      required: true,
      description: 'The line items, 1 to 100. Their sum is at most 99,999,999,999 minor units.',
    }),
    metadata: t.field({
      type: 'Metadata',
      description: 'Key-value pairs to store with the order. Defaults to an empty object.',
    }),
  }),
});
