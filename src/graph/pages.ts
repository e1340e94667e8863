import type { ObjectRef } from '@pothos/core';
import { type BuilderTypes, builder } from './builder.ts';
import { notNull } from './input-rules.ts';
import { valuesIn } from './list-bounds.ts';
import { Pagination, SortDirection } from './list-inputs.ts';
import type { Page } from './lists.ts';

/** The type of a page of a list: `{items, total, page, pageSize, totalPages, nextCursor}`. */
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
      }),
      nextCursor: t.exposeString('nextCursor', {
        nullable: true,
        description:
          'The value of `cursor` that returns the next page, with the same filters. Each such page costs as much as ' +
          'the first one. Null on the last page, if `sortBy` is given, and for lists without cursors.',
      }),
    }),
  });
}

const sortFields = {
  amount: { description: 'The amount, in minor units whatever the currency.' },
  createdAt: { description: 'The time of the creation.' },
  email: { description: 'The e-mail address.' },
  evidenceDueAt: { description: 'The time until which evidence is accepted. Null counts as later than every time.' },
  firstName: { description: 'The first name.' },
  lastName: { description: 'The last name.' },
  legalName: { description: 'The legal name.' },
  name: { description: 'The name.' },
  nextBillingDate: { description: 'The time of the next charge.' },
  status: { description: 'The status, alphabetically.' },
} as const;

/** The sort input of a list. The error of any other field lists these fields. */
export function sortInput<const Field extends keyof typeof sortFields>(
  name: string,
  fields: readonly [Field, ...Field[]],
) {
  const SortField = builder.enumType(`${name}Field`, {
    description: 'The fields by which the list can be sorted.',
    // fromEntries forgets the names
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
