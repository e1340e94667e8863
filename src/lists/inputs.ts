import type { ObjectRef } from '@pothos/core';
import { type BuilderTypes, builder } from '../graph/builder.ts';
import { notNull, valuesIn } from '../graph/input/rules.ts';
import { Mode } from '../graph/shared-types.ts';
import type { Page } from './read-list.ts';

/** The inputs that lists share (docs/contract/08-lists.md). */
const SortDirection = builder.enumType('SortDirection', {
  description: 'The direction of an order.',
  values: {
    asc: { description: 'Ascending: smallest or oldest first.' },
    desc: { description: 'Descending: largest or newest first.' },
  } as const,
});

const Pagination = builder.inputType('PaginationInput', {
  description:
    'The page to return. The same two fields can be top-level arguments instead, but not both forms together.',
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

// The values are the words of REST, whose hyphens are not allowed in names of an enum.
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

const uncounted = 'Null for people if more than 10,000 items match and are not kept counted.';

/** The type of a page of a list: `{items, total, page, pageSize, totalPages, nextCursor, hasMore}`. */
export function pageType<Row>(name: string, item: ObjectRef<BuilderTypes, Row>, of: string) {
  return builder.objectRef<Page<Row>>(name).implement({
    description: `A page of ${of}.`,
    fields: (t) => ({
      items: t.field({
        type: [item],
        description: `The ${of} of this page. Empty after the last page.`,
        resolve: (page) => page.items,
        complexity: { field: 1, multiplier: 1 },
      }),
      total: t.expose('total', {
        type: 'Count',
        nullable: true,
        description: 'The number of items on all pages. Null if the page was read by cursor.',
        forPeople: uncounted,
      }),
      page: t.exposeInt('page', {
        nullable: true,
        description: 'The number of this page, starting at 1. Null if the page was read by cursor.',
      }),
      pageSize: t.exposeInt('pageSize', { description: 'The maximum number of items on a page.' }),
      totalPages: t.expose('totalPages', {
        type: 'Count',
        nullable: true,
        description: 'The number of pages, 0 if the list is empty. Null if the page was read by cursor.',
        forPeople: uncounted,
      }),
      nextCursor: t.exposeString('nextCursor', {
        nullable: true,
        description:
          'The value of `cursor` that returns the next page, with the same filters. Each such page costs as much as ' +
          'the first one. Null on the last page, if `sortBy` is given, and for lists without cursors.',
      }),
      hasMore: t.exposeBoolean('hasMore', { description: 'Whether items follow this page.' }),
    }),
  });
}

/** The fields by which lists are sorted. */
export type SortField = keyof typeof sortFields;

const sortFields = {
  amount: { description: 'The amount, in minor units whatever the currency.' },
  createdAt: { description: 'The time of the creation.' },
  email: { description: 'The email address.' },
  evidenceDueAt: { description: 'The time until which evidence is accepted. Null counts as later than every time.' },
  firstName: { description: 'The first name.' },
  lastName: { description: 'The last name.' },
  legalName: { description: 'The legal name.' },
  name: { description: 'The name.' },
  nextBillingDate: { description: 'The time of the next charge.' },
  status: { description: 'The status, alphabetically.' },
} as const;

/** The sort input of a list. The error of any other field lists these fields. */
export function sortInput<const Field extends SortField>(name: string, fields: readonly [Field, ...Field[]]) {
  const SortField = builder.enumType(`${name}Field`, {
    description: 'The fields by which the list can be sorted.',
    // the type of fromEntries has no names
    values: Object.fromEntries(fields.map((field) => [field, sortFields[field]])) as Pick<typeof sortFields, Field>,
  });
  return builder.inputType(name, {
    ...notNull,
    description: 'The order of a list. Items with equal values are ordered by id in the same direction.',
    fields: (t) => ({
      field: t.field({ type: SortField, required: true, description: 'The field to sort by.' }),
      direction: t.field({ type: SortDirection, required: true, description: 'The direction of the order.' }),
    }),
  });
}

const list = {
  page: 'The number of the page to return, starting at 1. Defaults to 1.',
  pageSize: 'The maximum number of items on the page, 1 to 100. Defaults to 20.',
  pagination: '`page` and `pageSize` as an object. Refused with 400 together with either of them.',
  cursor: 'The `nextCursor` of the previous page. Refused with 400 together with a page number or `sortBy`.',
} as const;

/** Each value of a filter is compared with many rows. */
const valueComplexity = 10;

/** The complexity of a list: that of its filters and of all items of its page. */
export function pageComplexity(args: {
  pageSize?: number | null | undefined;
  pagination?: { pageSize?: number | null | undefined } | null | undefined;
  filters?: object | null | undefined;
}): { field: number; multiplier: number } {
  return {
    field: 5 + valueComplexity * valuesIn(args.filters),
    multiplier: args.pagination?.pageSize ?? args.pageSize ?? 20,
  };
}

/** The paging arguments of every list. */
export const pageArguments = builder.args((t) => ({
  page: t.field({ ...notNull, type: 'PageNumber', description: list.page }),
  pageSize: t.field({ ...notNull, type: 'PageSize', description: list.pageSize }),
  pagination: t.field({ type: Pagination, description: list.pagination }),
}));

/** The paging arguments of a list that can also be read by cursor. */
export const cursorArguments = builder.args((t) => ({
  page: t.field({ ...notNull, type: 'PageNumber', description: list.page }),
  pageSize: t.field({ ...notNull, type: 'PageSize', description: list.pageSize }),
  pagination: t.field({ type: Pagination, description: list.pagination }),
  cursor: t.field({ type: 'String', description: list.cursor }),
}));

/** The arguments by which people say whose rows of a list they read, which a key has no use for. */
export const viewerArgs = builder.args((t) => ({
  mode: t.field({
    type: Mode,
    description: 'The mode of the rows. Required for people; for an API key at most its own mode.',
  }),
  partnerSlug: t.field({
    type: 'Slug',
    description:
      'For people: only rows of the partner with this slug. Users of a partner see the rows of their partner in any ' +
      'case, and 403 for the slug of another.',
  }),
}));

/** The same of a list that only people call. */
export const visibilityArgs = builder.args((t) => ({
  mode: t.field({ type: Mode, required: true, description: 'The mode of the rows.' }),
  partnerSlug: t.field({
    type: 'Slug',
    description:
      'Only rows of the partner with this slug. Users of a partner see the rows of their partner in any case, and ' +
      '403 for the slug of another.',
  }),
}));

/** What people read of a single object that they share with keys. */
export const objectOfPeople =
  'People read objects of both modes; users of a partner get 404 for one of another partner.';

/** What people read of a list that they share with keys. */
export const rowsOfPeople =
  'People name the `mode`. Internal staff see the rows of all partners, admins and account managers of a partner those ' +
  'of their own. Their rows are counted up to 10,000: the `total` of more is null. A list that keeps its total ' +
  'answers it exactly without filters. Without one partner they sort by `createdAt` only.';
