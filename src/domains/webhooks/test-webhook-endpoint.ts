import type { Prisma } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { newId } from '../../kit/ids.ts';
import { toJson } from '../../kit/json.ts';
import { auditsOnBehalf } from '../../write/on-behalf.ts';
import { write } from '../../write/write.ts';
import { assertEnabled, type DeliveryRow } from './delivery-rows.ts';
import { endpointObject } from './endpoint-object.ts';
import { type EndpointRow, findEndpoint } from './endpoint-rows.ts';

/** Creates a delivery without an event, to test the connection to the receiver. It is sent like any other delivery. */
export async function testWebhookEndpoint(context: KeyContext, webhookId: string): Promise<DeliveryRow> {
  return write(context, 'testWebhookEndpoint', async ({ tx, now, audit }) => {
    const endpoint = await findEndpoint(context, tx, webhookId);
    assertEnabled(endpoint);
    const { partnerId, platformAccountId, mode } = endpoint;
    const eventId = newId('evt_', now);
    const event = testEvent(endpoint, { id: eventId, createdAt: now, requestId: context.requestId });
    const testBody = JSON.parse(toJson(event)) as Prisma.InputJsonObject; // what was just written as JSON
    const delivery = {
      id: newId('whd_', now),
      partnerId,
      platformAccountId,
      mode,
      endpointId: webhookId,
      eventId,
      eventType: event.type,
      objectId: eventId,
      sequence: 1,
      testBody,
      nextAttemptAt: now,
      createdAt: now,
    };
    for (const row of auditsOnBehalf(context, webhookId, null, { deliveryId: delivery.id })) audit(row);
    return { ...(await tx.webhookDelivery.create({ data: delivery })), attempts: [] };
  });
}

function testEvent(
  endpoint: EndpointRow,
  { id, createdAt, requestId }: { id: string; createdAt: Date; requestId: string },
) {
  const { platformAccountId, storeId } = endpoint;
  const livemode = endpoint.mode === 'live';
  return {
    id,
    type: 'webhook/test',
    createdAt,
    livemode,
    platformAccountId,
    storeId,
    sequence: 1,
    requestId,
    data: { object: endpointObject(endpoint) },
  };
}
