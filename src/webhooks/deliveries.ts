import { type Reach, tenantOf } from '../auth/tenancy.ts';
import { Prisma, type WebhookDelivery } from '../generated/prisma/client.ts';
import type { Context, KeyContext } from '../graph/context.ts';
import { date, is, oneOf } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import { Conflict, invalid, NotFound } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import { toJson } from '../kit/records.ts';
import { write } from '../kit/write.ts';
import { type EndpointRow, findEndpoint } from './operations.ts';
import type { WebhookDeliveryFilters } from './schema.ts';

export interface AttemptRow {
  at: string;
  status: number | null;
  durationMs: number;
  responseBody: string | null;
  error: string | null;
}

export type DeliveryRow = WebhookDelivery & { attempts: AttemptRow[] };

/** The answers of receivers are large; of a delivery that was sent again and again the latest attempts are shown. */
const attemptsShownMax = 50;
/** What one call may send again, so that it stays one short transaction. */
const redeliveredMax = 50_000;

const attempts = `coalesce((SELECT jsonb_agg(to_jsonb(a) ORDER BY a.number) FROM (SELECT a.number, a.at, a.status, a."durationMs", a."responseBody", a.error
  FROM webhook_attempts a WHERE a."deliveryId" = t.id ORDER BY a.number DESC LIMIT ${attemptsShownMax}) a), '[]') AS attempts`;

type DeliveryFilters = typeof WebhookDeliveryFilters.$inferInput;

const deliveryList: ListDefinition<DeliveryFilters & { endpointId?: string | null | undefined }> = {
  table: 'webhook_deliveries',
  extra: { columns: attempts, joins: '' },
  sorts: { createdAt: 'createdAt' },
  filters: {
    endpointId: is('endpointId'),
    status: oneOf('status'),
    eventType: oneOf('eventType'),
    eventId: is('eventId'),
    createdAt: date('createdAt'),
  },
};

export async function listWebhookDeliveries(
  context: KeyContext,
  webhookId: string,
  args: ListArguments<DeliveryFilters>,
): Promise<Page<DeliveryRow>> {
  await findEndpoint(context, context.env.prisma, webhookId);
  return readList<DeliveryRow, DeliveryFilters & { endpointId?: string | null | undefined }>(
    context.env.pool,
    context.caller,
    deliveryList,
    { ...args, filters: { ...args.filters, endpointId: webhookId } },
  );
}

/** Deliveries of every endpoint within an operator's reach. */
export function listDeliveriesWithin(
  { env }: Context,
  reach: Reach,
  args: ListArguments<DeliveryFilters & { endpointId?: string | null | undefined }>,
): Promise<Page<DeliveryRow>> {
  return readList(env.pool, reach, deliveryList, args);
}

/** Makes a delivery that has no event behind it, to try the way to the receiver. It goes through everything that others go through. */
export async function testWebhookEndpoint(context: KeyContext, webhookId: string): Promise<DeliveryRow> {
  return write(context, 'testWebhookEndpoint', async ({ tx, now }) => {
    const endpoint = await findEndpoint(context, tx, webhookId);
    assertEnabled(endpoint);
    const { partnerId, platformAccountId, mode, storeId } = endpoint;
    const eventId = newId('event', now);
    const {
      failingSince: _failing,
      failingClockId: _failingClock,
      partnerId: _partner,
      mode: _mode,
      deletedAt: _deleted,
      previousSecretUntil: rotationEndsAt,
      ...shown
    } = endpoint;
    const event = {
      id: eventId,
      type: 'webhook/test',
      createdAt: now,
      livemode: mode === 'live',
      platformAccountId,
      storeId,
      sequence: 1,
      requestId: context.requestId,
      data: { object: { ...shown, rotationEndsAt, livemode: mode === 'live' } },
    };
    const testBody = JSON.parse(toJson(event)) as Prisma.InputJsonObject; // what was just written as JSON
    const delivery = {
      id: newId('webhookDelivery', now),
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
    return { ...(await tx.webhookDelivery.create({ data: delivery })), attempts: [] };
  });
}

/** Sends one event to its endpoint again, under the same event id, with the schedule from its beginning. */
export async function redeliverWebhook(context: KeyContext, deliveryId: string): Promise<DeliveryRow> {
  return write(context, 'redeliverWebhook', async ({ tx, now }) => {
    const found = await tx.webhookDelivery.findFirst({
      where: { ...tenantOf(context.caller), id: deliveryId, endpoint: { deletedAt: null } },
    });
    if (!found) throw new NotFound('There is no such delivery.');
    assertEnabled(await findEndpoint(context, tx, found.endpointId));
    await tx.$queryRawUnsafe(`${redeliver} AND id = $2 RETURNING 1 AS done`, now, deliveryId);
    const [delivery] = await tx.$queryRawUnsafe<DeliveryRow[]>(
      `SELECT t.*, ${attempts} FROM webhook_deliveries t WHERE t.id = $1`,
      deliveryId,
    );
    if (!delivery) throw new Error('A delivery went while it was locked.');
    return delivery;
  });
}

/** Sends all of an endpoint's events since a moment again, delivered ones, too: its owner may have lost what it had got. */
export async function redeliverWebhooksSince(
  context: KeyContext,
  webhookId: string,
  since: Date,
): Promise<{ redelivered: number }> {
  return write(context, 'redeliverWebhooksSince', async ({ tx, now }) => {
    assertEnabled(await findEndpoint(context, tx, webhookId));
    const [counted] = await tx.$queryRaw<
      { n: bigint }[]
    >`SELECT count(*) AS n FROM (SELECT 1 FROM webhook_deliveries WHERE "endpointId" = ${webhookId} AND "createdAt" >= ${since} LIMIT ${redeliveredMax + 1}::int) found`;
    if (Number(counted?.n ?? 0) > redeliveredMax)
      throw invalid('since', `must be later: more than ${redeliveredMax} events have gone to this endpoint since then`);
    const redelivered = await tx.$executeRawUnsafe(
      `${redeliver} AND "endpointId" = $2 AND "createdAt" >= $3`,
      now,
      webhookId,
      since,
    );
    return { redelivered };
  });
}

/** What is in flight at this moment is being sent anyway, and its sender alone may write what came of it. */
const redeliver = `UPDATE webhook_deliveries SET status = 'pending', "nextAttemptAt" = coalesce((SELECT c.now FROM test_clocks c WHERE c.id = "testClockId"), $1), "leasedUntil" = NULL, "failureCount" = 0 WHERE ("leasedUntil" IS NULL OR "leasedUntil" <= $1)`;

function assertEnabled({ enabled }: EndpointRow): void {
  if (!enabled) throw new Conflict('invalid_state', 'The webhook endpoint is disabled: enable it first.');
}
