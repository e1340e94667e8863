import type { Event } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { date, is, oneOf } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import { ofEventTypes } from '../../graph/of-event-types.ts';
import type { EventFilters } from './schema.ts';

const eventList: ListDefinition<typeof EventFilters.$inferInput> = {
  table: 'events',
  sorts: { createdAt: 'createdAt' },
  filters: {
    type: ofEventTypes('type'),
    objectId: is('objectId'),
    storeId: oneOf('storeId'),
    createdAt: date('createdAt'),
  },
  counted: true,
  cursor: true,
};

export function listEvents(
  context: KeyContext,
  args: ListArguments<typeof EventFilters.$inferInput>,
): Promise<Page<Event>> {
  return readList(context.services.pool, context.caller, eventList, args);
}
