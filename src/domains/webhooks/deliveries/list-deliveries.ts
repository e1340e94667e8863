import { type Sql, sql } from '../../../database/sql.ts';
import { ofEventTypes, oneOf } from '../../../lists/filters.ts';
import { anyOf, dates, id, listOf } from '../../../lists/list-of.ts';
import { DeliveryStatus, WebhookDelivery } from '../types.ts';
import { attemptsColumn, type DeliveryRow } from './rows.ts';

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

export const webhookDeliveries = listOf('WebhookDelivery', WebhookDelivery, (row: DeliveryRow) => row, {
  of: 'webhook deliveries',
  table: 'webhook_deliveries',
  extra: { columns: attemptsColumn },
  sorts: { createdAt: 'createdAt' },
  aboutFilters: 'Filters for a list of webhook deliveries. A delivery must match all filters that are given.',
  filters: {
    status: anyOf(DeliveryStatus, 'Deliveries with one of these statuses.', { where: ofStatus }),
    eventType: anyOf('EventType', 'Deliveries of events of one of these types.', { where: ofEventTypes('eventType') }),
    eventId: id('Deliveries of this event, prefix `evt_`.'),
    createdAt: dates('Deliveries of events that occurred at this time.'),
    endpointId: id('Deliveries to this endpoint, prefix `wh_`.', { forPeople: true }),
    objectId: id('Deliveries of the events of this object, such as a payment.', { forPeople: true, where: ofObject }),
  },
  forPeople: true,
});
