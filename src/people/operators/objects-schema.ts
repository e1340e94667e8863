import { Customer } from '../../domains/customers/public.ts';
import { Order, orderObject } from '../../domains/orders/public.ts';
import { Subscription } from '../../domains/subscriptions/public.ts';
import { builder } from '../../graph/builder.ts';
import {
  readOperatorCustomer,
  readOperatorEvent,
  readOperatorOrder,
  readOperatorSubscription,
} from './read-objects.ts';
import { OperatorEvent } from './types.ts';

const ofEitherMode = 'of either mode. 404 for a user of a partner if it belongs to another partner.';

builder.queryFields((t) => ({
  operatorCustomer: t.withAuth({ directory: true }).field({
    type: Customer,
    description: `Returns one customer ${ofEitherMode}`,
    args: { customerId: t.arg.id({ required: true, description: 'Identifier of the customer, prefix `cus_`.' }) },
    resolve: (_root, { customerId }, context) => readOperatorCustomer(context, customerId),
  }),
  operatorOrder: t.withAuth({ directory: true }).field({
    type: Order,
    description: `Returns one order ${ofEitherMode}`,
    args: { orderId: t.arg.id({ required: true, description: 'Identifier of the order, prefix `ord_`.' }) },
    resolve: async (_root, { orderId }, context) => orderObject(await readOperatorOrder(context, orderId)),
  }),
  operatorSubscription: t.withAuth({ directory: true }).field({
    type: Subscription,
    description: `Returns one subscription ${ofEitherMode}`,
    args: {
      subscriptionId: t.arg.id({ required: true, description: 'Identifier of the subscription, prefix `sub_`.' }),
    },
    resolve: (_root, { subscriptionId }, context) => readOperatorSubscription(context, subscriptionId),
  }),
  operatorEvent: t.withAuth({ platformStaff: true }).field({
    type: OperatorEvent,
    description: 'Returns one event of either mode and of any partner. For internal staff.',
    args: { eventId: t.arg.id({ required: true, description: 'Identifier of the event, prefix `evt_`.' }) },
    resolve: (_root, { eventId }, context) => readOperatorEvent(context, eventId),
  }),
}));
