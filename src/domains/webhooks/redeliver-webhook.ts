import { tenantOf } from '../../auth/tenancy.ts';
import { sql } from '../../database/sql.ts';
import type { KeyContext } from '../../graph/context.ts';
import { NotFound } from '../../kit/errors.ts';
import { auditsOnBehalf } from '../../write/on-behalf.ts';
import { write } from '../../write/write.ts';
import { assertEnabled, attemptsColumn, type DeliveryRow, redeliver } from './delivery-rows.ts';
import { findEndpoint } from './endpoint-rows.ts';

/** Sends one event to its endpoint again, under the same event id, with the schedule from its start. */
export async function redeliverWebhook(context: KeyContext, deliveryId: string): Promise<DeliveryRow> {
  return write(context, 'redeliverWebhook', async ({ tx, now, audit }) => {
    const found = await tx.webhookDelivery.findFirst({
      where: { ...tenantOf(context.caller), id: deliveryId, endpoint: { deletedAt: null } },
    });
    if (!found) throw new NotFound('There is no such delivery.');
    assertEnabled(await findEndpoint(context, tx, found.endpointId));
    await tx.$executeRaw(redeliver(sql`t.id = ${deliveryId}`, now));
    const [delivery] = await tx.$queryRaw<DeliveryRow[]>(sql`
      SELECT t.*, ${attemptsColumn}
      FROM webhook_deliveries t
      WHERE t.id = ${deliveryId}`);
    if (!delivery) throw new Error('A delivery was deleted while it was locked.');
    const [before, after] = [{ status: found.status }, { status: delivery.status }];
    for (const row of auditsOnBehalf(context, deliveryId, before, after)) audit(row);
    return delivery;
  });
}
