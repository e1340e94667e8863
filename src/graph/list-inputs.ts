import { builder } from './builder.ts';
import { notNull } from './input-rules.ts';

/** The inputs that lists share (docs/contract/08-lists.md). */
export const SortDirection = builder.enumType('SortDirection', {
  description: 'The direction of an order.',
  values: {
    asc: { description: 'Ascending: smallest or oldest first.' },
    desc: { description: 'Descending: largest or newest first.' },
  } as const,
});

export const Pagination = builder.inputType('PaginationInput', {
  description: 'The page to return. The same two fields can be given flat instead, but not both forms together.',
  fields: (t) => ({
    page: t.field({
      ...notNull,
      type: 'PageNumber',
      description: 'The number of the page to return, starting at 1. Defaults to 1.',
    }),
    pageSize: t.field({
      ...notNull,
      type: 'PageSize',
      description: 'The maximum number of items on the page, 1 to 100. Defaults to 20.',
    }),
  }),
});

// The values are the words of REST, of which the names of an enum cannot have the hyphens.
const DateCondition = builder.enumType('DateCondition', {
  description: 'A comparison of times. In REST the words have hyphens: `is-after-date`.',
  values: {
    is_equal_date: { value: 'is-equal-date', description: 'On the day, or at the time.' },
    is_between_date: { value: 'is-between-date', description: 'From the first to the second, both included.' },
    is_after_date: { value: 'is-after-date', description: 'After the end of the day, or after the time.' },
    is_before_date: { value: 'is-before-date', description: 'Before the start of the day, or before the time.' },
  } as const,
});

export const DateFilter = builder.inputType('DateFilter', {
  description:
    'A condition on a time. A date without a time is the whole day in UTC: after it is after its end, before it ' +
    'before its start, and between two days includes both.',
  fields: (t) => ({
    condition: t.field({ type: DateCondition, required: true, description: 'The comparison.' }),
    value: t.field({
      type: ['DateOrDateTime'],
      required: true,
      description: 'The dates to compare with: two for `is_between_date` (REST: `is-between-date`), one otherwise.',
    }),
  }),
});

const TextCondition = builder.enumType('TextCondition', {
  description:
    'A case-insensitive comparison of strings. There are no wildcard characters. In REST the words have hyphens: ' +
    '`starts-with`.',
  values: {
    contains: { description: 'Contains the string.' },
    does_not_contain: { value: 'does-not-contain', description: 'Does not contain the string.' },
    is: { description: 'Is the string.' },
    is_not: { value: 'is-not', description: 'Is another string.' },
    starts_with: { value: 'starts-with', description: 'Starts with the string.' },
    ends_with: { value: 'ends-with', description: 'Ends with the string.' },
  } as const,
});

export const TextFilter = builder.inputType('TextFilter', {
  description: 'A condition on a string. It is compared case-insensitively; there are no wildcard characters.',
  fields: (t) => ({
    condition: t.field({ type: TextCondition, required: true, description: 'The comparison.' }),
    value: t.field({
      type: 'ShortText',
      required: true,
      description: 'The string to compare with, at most 500 characters.',
    }),
  }),
});

export const AmountFilter = builder.inputType('AmountFilter', {
  description: 'A range of amounts in minor units. Both limits are included.',
  fields: (t) => ({
    min: t.field({ type: 'Amount', description: 'The smallest amount. No lower limit if left out.' }),
    max: t.field({ type: 'Amount', description: 'The largest amount. No upper limit if left out.' }),
  }),
});

export type DateFilterValue = typeof DateFilter.$inferInput;
export type TextFilterValue = typeof TextFilter.$inferInput;
export type AmountFilterValue = typeof AmountFilter.$inferInput;
