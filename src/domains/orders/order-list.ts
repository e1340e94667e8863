import { anyOf, dates, id, ids, listOf } from '../../lists/list-of.ts';
import { type OrderRow, orderObject } from './order-rows.ts';
import { Order, OrderStatus } from './types.ts';

export const orders = listOf('Order', Order, (row: OrderRow) => orderObject(row), {
  of: 'orders',
  table: 'orders',
  sorts: { createdAt: 'createdAt', amount: 'amount' },
  aboutFilters: 'Filters for a list of orders. An order is returned only if it matches every filter given.',
  filters: {
    status: anyOf(OrderStatus, 'Returns orders with any of these statuses.'),
    currency: anyOf('Currency', 'Returns orders in any of these currencies.'),
    customerId: id('Returns orders of this customer, prefix `cus_`.'),
    storeId: ids('Returns orders of any of these stores, prefix `store_`.'),
    platformAccountId: id('Returns orders of this processing account, prefix `tpa_`.'),
    createdAt: dates('Compares the time at which the order was created.'),
  },
  counted: true,
  cursor: true,
  forPeople: true,
});
