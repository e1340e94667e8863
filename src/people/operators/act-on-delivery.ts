import { type DeliveryRow, redeliverWebhook } from '../../domains/webhooks/public.ts';
import type { SessionContext } from '../../graph/context.ts';
import { NotFound } from '../../kit/errors.ts';
import { actOnBehalf } from './act-on-behalf.ts';
import { visibleRow } from './visibility.ts';

/** Sends the event of a delivery again, of any delivery that is visible to the caller. */
export function operatorRedeliver(
  context: SessionContext,
  { deliveryId, reason }: { deliveryId: string; reason: string },
): Promise<DeliveryRow> {
  const act = { action: 'operatorRedeliverWebhook', target: deliveryId, reason };
  const find = async () => {
    const where = await visibleRow(context, deliveryId);
    const delivery = await context.services.prisma.webhookDelivery.findFirst({ where });
    if (!delivery) throw new NotFound('There is no such delivery.');
    return delivery;
  };
  return actOnBehalf(context, act, find, (own) => redeliverWebhook(own, deliveryId));
}
