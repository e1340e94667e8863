import type { Visibility } from '../../../auth/tenancy.ts';
import type { Context, KeyContext } from '../../../call/context.ts';
import { type Sql, sql } from '../../../database/sql.ts';
import { date, is, ofEventTypes, oneOf } from '../../../lists/filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../../lists/read-list.ts';
import { findEndpoint } from '../endpoints/rows.ts';
import type { WebhookDeliveryFilters } from '../inputs.ts';
import { attemptsColumn, type DeliveryRow } from './rows.ts';

type DeliveryFilters = typeof WebhookDeliveryFilters.$inferInput;
type EndpointDeliveryFilters = DeliveryFilters & {
  endpointId?: string | null | undefined;
  objectId?: string | null | undefined;
};

export const deliveryList: ListDefinition<EndpointDeliveryFilters> = {
  table: 'webhook_deliveries',
  extra: { columns: attemptsColumn },
  sorts: { createdAt: 'createdAt' },
  filters: {
    endpointId: is('endpointId'),
    status: ofStatus,
    eventType: ofEventTypes('eventType'),
    eventId: is('eventId'),
    objectId: ofObject,
    createdAt: date('createdAt'),
  },
};

const isOpen = new Set(['pending', 'failed']);

/** Deliveries that will be retried have their own index, and are few. */
function ofStatus(statuses: readonly string[]): Sql {
  const condition = oneOf('status')(statuses, 'status');
  return statuses.length > 0 && statuses.every((status) => isOpen.has(status))
    ? sql`${condition} AND t."nextAttemptAt" IS NOT NULL`
    : condition;
}

/** Found through the events: an index by object would be written with every charge. */
function ofObject(objectId: string): Sql {
  return sql`t."eventId" = ANY(ARRAY(SELECT e.id FROM events e WHERE e."objectId" = ${objectId}))`;
}

export async function listWebhookDeliveries(
  context: KeyContext,
  webhookId: string,
  args: ListArguments<DeliveryFilters>,
): Promise<Page<DeliveryRow>> {
  await findEndpoint(context, context.services.prisma, webhookId);
  return readList<DeliveryRow, EndpointDeliveryFilters>(context.services.pool, context.caller, deliveryList, {
    ...args,
    filters: { ...args.filters, endpointId: webhookId },
  });
}

/** The deliveries of every endpoint that is visible to an operator. */
export function listDeliveriesWithin(
  { services }: Context,
  visibility: Visibility,
  args: ListArguments<EndpointDeliveryFilters>,
): Promise<Page<DeliveryRow>> {
  return readList(services.pool, visibility, deliveryList, args);
}
