import type { ObjectRef } from '@pothos/core';
import { builder, type BuilderTypes } from './builder.ts';
import { Pagination, SortDirection } from './list-inputs.ts';
import type { Page } from './lists.ts';

/** The answer type of a list: `{items, total, page, pageSize, totalPages, nextCursor}`. */
export function pageType<Row>(name: string, item: ObjectRef<BuilderTypes, Row>, of: string) {
  return builder.objectRef<Page<Row>>(name).implement({
    description: `A page of ${of}.`,
    fields: (t) => ({
      items: t.field({
        type: [item],
        description: `The ${of} of this page; empty past the end.`,
        resolve: (page) => page.items,
        complexity: { field: 1, multiplier: 1 },
      }),
      total: t.int({
        nullable: true,
        description: 'How many there are in all, over every page; null in a cursor answer.',
        resolve: (page) => page.total,
      }),
      page: t.int({
        nullable: true,
        description: 'This page, from 1; null in a cursor answer.',
        resolve: (page) => page.page,
      }),
      pageSize: t.int({ description: 'How many items a page holds.', resolve: (page) => page.pageSize }),
      totalPages: t.int({
        nullable: true,
        description: 'How many pages there are; 0 when there is nothing; null in a cursor answer.',
        resolve: (page) => page.totalPages,
      }),
      nextCursor: t.string({
        nullable: true,
        description:
          'Give it as `cursor` with the same filters to read on, at any depth at the cost of the first page. Null at the end, with a sort of your own, and on lists without cursors.',
        resolve: (page) => page.nextCursor,
      }),
    }),
  });
}

/** The sort input of a list; any other field is refused with the list of these. */
export function sortInput<const Field extends string>(name: string, fields: readonly [Field, ...Field[]]) {
  const SortField = builder.enumType(`${name}Field`, {
    description: 'What this list can be sorted by.',
    values: fields,
  });
  return builder.inputType(name, {
    description: 'The order of the list. Ties go by id in the same direction.',
    fields: (t) => ({
      field: t.field({ type: SortField, required: true, description: 'What to sort by.' }),
      direction: t.field({ type: SortDirection, required: true, description: 'Which end comes first.' }),
    }),
  });
}

const list = {
  page: 'The page to read, from 1 (default 1).',
  pageSize: 'Items a page, 1 to 100 (default 20).',
  pagination: 'The same two, nested.',
  cursor: 'A `nextCursor` of an earlier answer; page and sortBy must then be left out.',
} as const;

/** What a list costs: as much as all the items of its page. */
export function pageComplexity(args: {
  pageSize?: number | null | undefined;
  pagination?: { pageSize?: number | null | undefined } | null | undefined;
}): { field: number; multiplier: number } {
  return { field: 5, multiplier: args.pagination?.pageSize ?? args.pageSize ?? 20 };
}

/** The paging arguments of every list. */
export const pageArguments = builder.args((t) => ({
  page: t.field({ type: 'PageNumber', description: list.page }),
  pageSize: t.field({ type: 'PageSize', description: list.pageSize }),
  pagination: t.field({ type: Pagination, description: list.pagination }),
}));

/** The paging arguments of a list that also reads by cursor. */
export const cursorArguments = builder.args((t) => ({
  page: t.field({ type: 'PageNumber', description: list.page }),
  pageSize: t.field({ type: 'PageSize', description: list.pageSize }),
  pagination: t.field({ type: Pagination, description: list.pagination }),
  cursor: t.field({ type: 'String', description: list.cursor }),
}));
