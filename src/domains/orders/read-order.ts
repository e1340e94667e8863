import { tenantOf } from '../../auth/tenancy.ts';
import type { Order } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { noSuchOrder } from './order-rows.ts';

export async function readOrder(context: KeyContext, orderId: string): Promise<Order> {
  const order = await context.services.prisma.order.findFirst({ where: { ...tenantOf(context.caller), id: orderId } });
  if (!order) throw noSuchOrder();
  return order;
}
