import type { Visibility } from '../../auth/tenancy.ts';
import type { Context, KeyContext } from '../../call/context.ts';
import type { Order } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { date, is, oneOf } from '../../lists/filters.ts';
import { DateFilter } from '../../lists/inputs.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../lists/read-list.ts';
import { OrderStatus } from './types.ts';

export const OrderFilters = builder.inputType('OrderFilters', {
  description: 'Filters for a list of orders. An order is returned only if it matches every filter given.',
  fields: (t) => ({
    status: t.field({ type: [OrderStatus], description: 'Returns orders with any of these statuses.' }),
    currency: t.field({ type: ['Currency'], description: 'Returns orders in any of these currencies.' }),
    customerId: t.id({ description: 'Returns orders of this customer, prefix `cus_`.' }),
    storeId: t.idList({ description: 'Returns orders of any of these stores, prefix `store_`.' }),
    platformAccountId: t.id({ description: 'Returns orders of this processing account, prefix `tpa_`.' }),
    createdAt: t.field({ type: DateFilter, description: 'Compares the time at which the order was created.' }),
  }),
});

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

type Filters = typeof OrderFilters.$inferInput;

export const orderList: ListDefinition<Filters> = {
  table: 'orders',
  sorts: { createdAt: 'createdAt', amount: 'amount' },
  filters: {
    status: oneOf('status'),
    currency: oneOf('currency'),
    customerId: is('customerId'),
    storeId: oneOf('storeId'),
    platformAccountId: is('platformAccountId'),
    createdAt: date('createdAt'),
  },
  counted: true,
  cursor: true,
};

export function listOrders(context: KeyContext, args: ListArguments<Filters>): Promise<Page<Order>> {
  return listOrdersWithin(context, context.caller, args);
}

/** The same list for another visibility, such as that of an operator. */
export function listOrdersWithin(
  { services }: Context,
  visibility: Visibility,
  args: ListArguments<Filters>,
): Promise<Page<Order>> {
  return readList(services.pool, visibility, orderList, args);
}
