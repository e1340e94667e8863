import { type DeliveryRow, redeliverWebhook } from '../../domains/webhooks/public.ts';
import type { SessionContext } from '../../graph/context.ts';
import { NotFound } from '../../kit/errors.ts';
import { actOnBehalf } from './act-on-behalf.ts';

/** Sends the event of a delivery of any partner again. */
export function operatorRedeliver(
  context: SessionContext,
  { deliveryId, reason }: { deliveryId: string; reason: string },
): Promise<DeliveryRow> {
  const act = { action: 'operatorRedeliverWebhook', target: deliveryId, reason };
  const find = async () => {
    const delivery = await context.services.prisma.webhookDelivery.findUnique({ where: { id: deliveryId } });
    if (!delivery) throw new NotFound('There is no such delivery.');
    return delivery;
  };
  return actOnBehalf(context, act, find, (own) => redeliverWebhook(own, deliveryId));
}
