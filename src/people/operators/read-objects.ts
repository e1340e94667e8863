import { type CustomerRow, noSuchCustomer } from '../../domains/customers/public.ts';
import { noSuchOrder } from '../../domains/orders/public.ts';
import { noSuchSubscription, type SubscriptionRow } from '../../domains/subscriptions/public.ts';
import type { Event, Order } from '../../generated/prisma/client.ts';
import type { SessionContext } from '../../graph/context.ts';
import { NotFound } from '../../kit/errors.ts';
import { visibleRow } from './visibility.ts';

export async function readOperatorCustomer(context: SessionContext, customerId: string): Promise<CustomerRow> {
  const where = await visibleRow(context, customerId);
  const customer = await context.services.prisma.customer.findFirst({ where });
  if (!customer) throw noSuchCustomer();
  return customer;
}

export async function readOperatorOrder(context: SessionContext, orderId: string): Promise<Order> {
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

export async function readOperatorEvent(context: SessionContext, eventId: string): Promise<Event> {
  const event = await context.services.prisma.event.findFirst({ where: await visibleRow(context, eventId) });
  if (!event) throw new NotFound('There is no such event.');
  return event;
}
