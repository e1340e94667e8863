import type { SessionContext } from '../../call/context.ts';
import { Customer, type CustomerRow, noSuchCustomer } from '../../domains/customers/public.ts';
import { noSuchOrder, Order, orderObject } from '../../domains/orders/public.ts';
import { noSuchSubscription, Subscription, type SubscriptionRow } from '../../domains/subscriptions/public.ts';
import type { Event, Order as OrderRecord } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { NotFound } from '../../lib/errors.ts';
import { OperatorEvent } from './types.ts';
import { visibleRow } from './visibility.ts';

async function readOperatorCustomer(context: SessionContext, customerId: string): Promise<CustomerRow> {
  const where = await visibleRow(context, customerId);
  const customer = await context.services.prisma.customer.findFirst({ where });
  if (!customer) throw noSuchCustomer();
  return customer;
}

async function readOperatorOrder(context: SessionContext, orderId: string): Promise<OrderRecord> {
  const where = await visibleRow(context, orderId);
  const order = await context.services.prisma.order.findFirst({ where });
  if (!order) throw noSuchOrder();
  return order;
}

export async function readOperatorSubscription(
  context: SessionContext,
  subscriptionId: string,
): Promise<SubscriptionRow> {
  const where = await visibleRow(context, subscriptionId);
  const subscription = await context.services.prisma.subscription.findFirst({ where });
  if (!subscription) throw noSuchSubscription();
  return subscription;
}

async function readOperatorEvent(context: SessionContext, eventId: string): Promise<Event> {
  const event = await context.services.prisma.event.findFirst({ where: await visibleRow(context, eventId) });
  if (!event) throw new NotFound('There is no such event.');
  return event;
}

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
