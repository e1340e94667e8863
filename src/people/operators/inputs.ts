import type { PeopleVisibility } from '../../auth/tenancy.ts';
import type { SessionContext } from '../../call/context.ts';
import type { Event } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { Mode } from '../../graph/shared-types.ts';
import { date, is, ofEventTypes } from '../../lists/filters.ts';
import { DateFilter } from '../../lists/inputs.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../lists/read-list.ts';

export const OperatorEventFilters = builder.inputType('OperatorEventFilters', {
  description: 'Filters of a list of events. An event must match every given filter.',
  fields: (t) => ({
    type: t.stringList({ description: 'Only events of one of these types.' }),
    objectId: t.id({ description: 'Only events of this object.' }),
    platformAccountId: t.id({ description: 'Only events of this account.' }),
    createdAt: t.field({ type: DateFilter, description: 'Only events of this time.' }),
  }),
});

/** The mode and the partner whose rows an operator reads. */
export const visibilityArgs = builder.args((t) => ({
  mode: t.field({ type: Mode, required: true, description: 'The mode of the rows.' }),
  partnerSlug: t.field({
    type: 'Slug',
    description:
      'Only rows of the partner with this slug. Users of a partner see the rows of their partner in any case, and ' +
      '403 for the slug of another.',
  }),
}));

const partnersVisible =
  'Internal staff see all partners. Admins and account managers of a partner see their own partner.';
/** The meaning of the total in an operator's list. */
export const countedTotal =
  'Rows are counted up to 10,000: a `total` of 10,001 means more. A list that keeps its total answers it exactly ' +
  'without filters.';
export const rowsVisible = `${partnersVisible} ${countedTotal}`;

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
  visibility: PeopleVisibility,
  args: ListArguments<typeof OperatorEventFilters.$inferInput>,
): Promise<Page<Event>> {
  return readList(services.pool, visibility, operatorEventList, args);
}
