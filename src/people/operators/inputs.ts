import { Mode } from '../../domains/accounts/public.ts';
import { builder } from '../../graph/builder.ts';
import { DateFilter } from '../../graph/list-inputs.ts';

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

export const partnersVisible =
  'Internal staff see all partners. Admins and account managers of a partner see their own partner.';
/** What the total of a list of people means. */
export const countedTotal =
  'Rows are counted up to 10,000: a `total` of 10,001 means more. A list that keeps its total answers it exactly ' +
  'without filters.';
export const rowsVisible = `${partnersVisible} ${countedTotal}`;
export const sortByOverAll = 'The order of the list. Without one partner only `createdAt` is accepted.';
