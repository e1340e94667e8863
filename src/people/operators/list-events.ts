import type { OperatorVisibility } from '../../auth/tenancy.ts';
import type { Event } from '../../generated/prisma/client.ts';
import type { SessionContext } from '../../graph/context.ts';
import { date, is } from '../../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../graph/lists.ts';
import { ofEventTypes } from '../../graph/of-event-types.ts';
import type { OperatorEventFilters } from './inputs.ts';

export const operatorEventList: ListDefinition<typeof OperatorEventFilters.$inferInput> = {
  table: 'events',
  sorts: { createdAt: 'createdAt' },
  filters: {
    type: ofEventTypes('type'),
    objectId: is('objectId'),
    platformAccountId: is('platformAccountId'),
    createdAt: date('createdAt'),
  },
  counted: true,
  cursor: true,
};

export function listEvents(
  { services }: SessionContext,
  visibility: OperatorVisibility,
  args: ListArguments<typeof OperatorEventFilters.$inferInput>,
): Promise<Page<Event>> {
  return readList(services.pool, visibility, operatorEventList, args);
}
