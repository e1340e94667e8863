import type { Event } from '../generated/prisma/client.ts';
import type { OperatorReach } from '../auth/tenancy.ts';
import type { SessionContext } from '../graph/context.ts';
import { date, is, oneOf } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import type { OperatorEventFilters } from './schema.ts';

const eventList: ListDefinition<typeof OperatorEventFilters.$inferInput> = {
  table: 'events',
  sorts: { createdAt: 'createdAt' },
  filters: {
    type: oneOf('type'),
    objectId: is('objectId'),
    platformAccountId: is('platformAccountId'),
    createdAt: date('createdAt'),
  },
  cursor: true,
};

export function listEvents(
  { env }: SessionContext,
  reach: OperatorReach,
  args: ListArguments<typeof OperatorEventFilters.$inferInput>,
): Promise<Page<Event>> {
  return readList(env.pool, reach, eventList, args);
}
