import { builder } from './builder.ts';

/** What every list takes: two ways to page, a sort, and the shapes filters are made of (contract 8). */
export const SortDirection = builder.enumType('SortDirection', {
  description: 'The order of a list.',
  values: {
    asc: { description: 'Smallest or oldest first.' },
    desc: { description: 'Largest or newest first.' },
  } as const,
});

export const Pagination = builder.inputType('PaginationInput', {
  description: 'The page to read, nested. The same two fields may stand flat instead, but not both.',
  fields: (t) => ({
    page: t.field({ type: 'PageNumber', description: 'The page to read, from 1 (default 1).' }),
    pageSize: t.field({ type: 'PageSize', description: 'Items a page, 1 to 100 (default 20).' }),
  }),
});

export const DateFilter = builder.inputType('DateFilter', {
  description:
    'Compares a date. A day without a time means that whole UTC day: after is after its end, before is before its start, between includes both.',
  fields: (t) => ({
    condition: t.field({ type: 'DateCondition', required: true, description: 'How to compare.' }),
    value: t.field({
      type: ['DateOrDateTime'],
      required: true,
      description: 'Two values for `is-between-date`, one for the others.',
    }),
  }),
});

export const TextFilter = builder.inputType('TextFilter', {
  description: 'Compares a text, case-insensitively; wildcard characters stand for themselves.',
  fields: (t) => ({
    condition: t.field({ type: 'TextCondition', required: true, description: 'How to compare.' }),
    value: t.field({ type: 'ShortText', required: true, description: 'The text to compare with.' }),
  }),
});

export const AmountFilter = builder.inputType('AmountFilter', {
  description: 'A range of amounts in minor units, both ends included.',
  fields: (t) => ({
    min: t.field({ type: 'Amount', description: 'The smallest amount.' }),
    max: t.field({ type: 'Amount', description: 'The largest amount.' }),
  }),
});

export type DateFilterValue = typeof DateFilter.$inferInput;
export type TextFilterValue = typeof TextFilter.$inferInput;
export type AmountFilterValue = typeof AmountFilter.$inferInput;
