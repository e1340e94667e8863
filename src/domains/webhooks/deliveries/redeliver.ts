import { requireRow } from '../../../auth/visible.ts';
import type { TenantContext } from '../../../call/context.ts';
import { sql } from '../../../database/sql.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { invalid } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import { toJson } from '../../../lib/json.ts';
import { auditsOnBehalf } from '../../../unit-of-work/records.ts';
import { write } from '../../../unit-of-work/write.ts';
import { type EndpointRow, endpointObject, findEndpoint } from '../endpoints/rows.ts';
import { addTestDelivery, assertEnabled, attemptsColumn, type DeliveryRow, redeliver } from './rows.ts';

/** Sends one event to its endpoint again, under the same event id, with the schedule from its start. */
export async function redeliverWebhook(context: TenantContext, deliveryId: string): Promise<DeliveryRow> {
  return write(context, 'redeliverWebhook', async ({ tx, now, audit }) => {
    const where = { ...context.tenant, id: deliveryId, endpoint: { deletedAt: null } };
    const found = await requireRow(tx, 'webhookDelivery', where);
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

/** How many deliveries one call may send again, so that it stays one short transaction. */
const redeliveredMax = 50_000;

/** Sends all events of an endpoint since a moment again, including delivered ones, which its owner may have lost. */
export async function redeliverWebhooksSince(
  context: TenantContext,
  webhookId: string,
  since: Date,
): Promise<{ redelivered: number }> {
  return write(context, 'redeliverWebhooksSince', async ({ tx, now, audit }) => {
    assertEnabled(await findEndpoint(context, tx, webhookId));
    const [counted] = await tx.$queryRaw<{ n: bigint }[]>(sql`
      SELECT count(*) AS n
      FROM (
        SELECT 1
        FROM webhook_deliveries
        WHERE "endpointId" = ${webhookId} AND "createdAt" >= ${since}
        LIMIT ${redeliveredMax + 1}::int
      ) found`);
    if (Number(counted?.n ?? 0) > redeliveredMax)
      throw invalid(
        'since',
        `must be later: more than ${redeliveredMax} events have been sent to this endpoint since then`,
      );
    const redelivered = await tx.$executeRaw(
      redeliver(sql`t."endpointId" = ${webhookId} AND t."createdAt" >= ${since}`, now),
    );
    for (const row of auditsOnBehalf(context, webhookId, null, { since: since.toISOString(), redelivered })) audit(row);
    return { redelivered };
  });
}

/** Creates a delivery without an event, to test the connection to the receiver. It is sent like any other delivery. */
export async function testWebhookEndpoint(context: TenantContext, webhookId: string): Promise<DeliveryRow> {
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
    return { ...(await addTestDelivery({ tx }, delivery)), attempts: [] };
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
