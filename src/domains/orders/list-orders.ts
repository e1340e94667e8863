import type { Visibility } from '../../auth/tenancy.ts';
import type { Order } from '../../generated/prisma/client.ts';
import type { Context, KeyContext } from '../../graph/context.ts';
import { date, is, oneOf } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import type { OrderFilters } from './inputs.ts';

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
