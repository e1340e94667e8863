import { visible } from '../../auth/visible.ts';
import { builder } from '../../graph/builder.ts';
import { objectOfPeople } from '../../lists/inputs.ts';
import { CreateOrderInput } from './inputs.ts';
import { orders } from './order-list.ts';
import { cancelOrder, createOrder, type OrderRow, orderObject } from './order-rows.ts';
import { Order } from './types.ts';

builder.queryFields((t) => ({
  order: t.withAuth({ $any: { suspendedKey: true, directory: true } }).field({
    type: Order,
    description: 'Returns an order. 404 if the order is not visible to the API key.',
    forPeople: objectOfPeople,
    args: { orderId: t.arg.id({ required: true, description: 'The order to return, prefix `ord_`.' }) },
    resolve: async (_root, { orderId }, context) => orderObject(await visible(context, 'order', orderId)),
  }),
  orders: t.withAuth({ $any: { suspendedKey: true, directory: true } }).field(
    orders.field(
      'Returns a page of the orders visible to the API key: those of the account of a sub-key, or of all accounts of ' +
        'the partner in the mode of a partner key. The newest come first by default.',
      {
        sortBy: 'The sort order. Defaults to `createdAt`, descending.',
        filters: 'The filters to apply. All orders if left out.',
      },
    ),
  ),
}));

builder.mutationFields((t) => ({
  createOrder: t.withAuth({ key: true }).field({
    type: Order,
    description: 'Creates an order in a store. The order is `pending` until a payment with its `orderId` pays it.',
    args: { input: t.arg({ type: CreateOrderInput, required: true, description: 'The order to create.' }) },
    storedAnswer: { answerOf: (stored) => orderObject(stored as OrderRow) },
    resolve: async (_root, { input }, context) => orderObject(await createOrder(context, input)),
  }),
  cancelOrder: t.withAuth({ suspendedKey: true }).field({
    type: Order,
    description:
      'Cancels an unpaid order permanently. 409 `invalid_state` if the order is paid or refunded (refund its payment ' +
      'instead), if it is already canceled, or while a payment of it is in progress: void an authorized payment; a ' +
      'challenge ends within 30 minutes, an unknown outcome within a minute. 404 if the order is not visible to the ' +
      'API key.',
    args: { orderId: t.arg.id({ required: true, description: 'The order to cancel, prefix `ord_`.' }) },
    storedAnswer: { answerOf: (stored) => orderObject(stored as OrderRow) },
    resolve: async (_root, { orderId }, context) => orderObject(await cancelOrder(context, orderId)),
  }),
}));
