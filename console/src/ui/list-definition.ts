import type { TadaDocumentNode } from 'gql.tada';
import type { ReactNode } from 'react';
import type { BulkAction } from './bulk-action.ts';
import { minorUnits } from './format.ts';
import type { ObjectKind } from './objects-by-name.ts';
import { may, type Person, type Right } from './person.tsx';
import { daysBetween } from './time-zone.ts';

interface Page<Row> {
  items: Row[];
  total?: number | null;
  totalPages?: number | null;
}

/** The key of a filter whose value an order depends on: one partner, or one currency. */
type SortNeed = 'partner' | 'currency';

export interface Column<Row> {
  name: string;
  cell(row: Row): ReactNode;
  /** The field of `sortBy`, if the list sorts by the column. */
  sort?: string;
  /** What the list must be filtered by to be sorted by the column. The platform refuses some orders over all partners. */
  sortNeeds?: readonly SortNeed[];
  /** Shown on hover of the heading. */
  about?: string;
  /** Who sees the column. Default: who reads the list. */
  needs?: Right;
  /** Figures stand at the right, so that their digits are below each other. */
  right?: boolean;
  /** Whether it may be left out where the columns do not fit, since the page of the row shows it. */
  spare?: boolean;
}

/** A filter of a list. Its value stands in the URL under its key, so that a link contains the whole view. */
export type Filter = {
  key: string;
  label: string;
  /** The part of `filters` for a value, which may depend on others that stand in the URL. */
  toInput(value: string, search: Search): object;
} & (
  | {
      kind: 'text';
      placeholder?: string;
      /** How every value begins, such as `ord_`. */
      prefix?: string;
    }
  | { kind: 'choice'; choices: readonly string[] }
  | { kind: 'date' }
  | { kind: 'object'; object: ObjectKind }
);

/** A mutation that begins an export, whose root field is called `begun`. Its variables are among those of the list. */
export type ExportDocument = TadaDocumentNode<{ begun: { url: string; rows: number } | null }, never>;

export interface ListDefinition<Row, Variables> {
  title: string;
  about: string;
  /** A document whose root field is called `list`. */
  document: TadaDocumentNode<{ list: Page<Row> | null }, Variables>;
  /** The export of the list, if it has one. */
  exportDocument?: ExportDocument;
  /** Who may export. Default: who reads the list. */
  exportRight?: Right;
  columns: readonly Column<Row>[];
  filters?: readonly Filter[];
  keyOf(row: Row): string;
  /** The path of the page of a row below the mode, for example `/payments/pay_…`; undefined if it has none. */
  pathOf?(row: Row): string | undefined;
  /** Whether the list takes `partnerSlug`. */
  byPartner?: boolean;
  /** Whether the answer always contains every row, so that there are no pages. */
  isWhole?: boolean;
  /** Variables besides mode, page, filters, order and partner. */
  variables?: Record<string, unknown>;
  right: Right;
  /** Whether rows of customers on a test clock are dated by the clock, so possibly after today. */
  onTestClocks?: boolean;
  /** What can be done with the selected rows. Who may do none of it selects none. */
  bulk?: readonly BulkAction<NoInfer<Row>>[];
  /** What stands above the table, for example a button. */
  actions?: () => ReactNode;
  /** What the rows are, in the plural. */
  noun: string;
  /** How the first row comes to be, a sentence. */
  comes: string;
}

/** The definition of a list, which its page shows and, filtered by an object, the page of that object. */
export const defineList = <Row, Variables>(definition: ListDefinition<Row, Variables>) => definition;

/** Values of `search`: strings alone, as they stand in the URL. */
export type Search = Record<string, string>;

export const pageSize = 25;

/** What stands in the URL after changes of it. An empty value takes its key away. */
export function changed(search: Search, changes: Search): Search {
  return Object.fromEntries(Object.entries({ ...search, ...changes }).filter(([, value]) => value !== ''));
}

/** A filter by the partner, for internal staff. It is an argument of its own, and no part of `filters`. */
export const partnerFilter: Filter = {
  kind: 'object',
  object: 'partner',
  key: 'partner',
  label: 'Partner',
  toInput: () => ({}),
};

/** What stands in the URL besides filters: the order, the page, hidden columns, and whether rows after today are shown. */
const ownKeys = ['sort', 'page', 'hidden', 'later'];

/** What a link names and the list does not know, such as a filter that no longer exists. */
export function unknownKeys(filters: readonly Filter[], search: Search): string[] {
  return Object.keys(search).filter((key) => !ownKeys.includes(key) && !filters.some((filter) => filter.key === key));
}

/** The value of `later` in the URL with which a list contains rows dated after today. */
export const withLater = { later: 'yes' };

/** Whether a list ends today, so that rows on a test clock in the future are not its newest. A filter shows them too. */
export function endsToday<Row, Variables>(
  { onTestClocks, filters = [] }: ListDefinition<Row, Variables>,
  mode: string,
  search: Search,
): boolean {
  const isNarrowed = search['later'] === withLater.later || filters.some(({ key }) => search[key]);
  return onTestClocks === true && mode === 'test' && !isNarrowed;
}

const untilToday = (): object => ({
  createdAt: { condition: 'is_between_date', value: ['2000-01-01', new Date().toISOString().slice(0, 10)] },
});

/** What the list is not filtered by yet and must be, to be sorted by the column. People of a partner see it alone. */
function missingFor<Row>({ sortNeeds = [] }: Column<Row>, search: Search, { partnerSlug }: Person): SortNeed[] {
  return sortNeeds.filter((need) => !(search[need] || (need === 'partner' && partnerSlug !== null)));
}

/** The columns that are of use to the person. Those by which the list cannot be sorted now say what it must be filtered by. */
export function offeredColumns<Row>(columns: readonly Column<Row>[], search: Search, person: Person): Column<Row>[] {
  return columns
    .filter(({ needs }) => needs === undefined || may(person, needs))
    .map((column) => {
      const missing = missingFor(column, search, person);
      if (missing.length === 0) return column;
      const { sort: _sort, ...unsorted } = column;
      return { ...unsorted, about: `To sort by this column, filter by ${missing.join(' and ')}.` };
    });
}

/** The order that the URL names; undefined if the list has none, or none that is offered for its filters. */
function sortOf<Row>(columns: readonly Column<Row>[], search: Search, person: Person) {
  const [field, direction] = (search['sort'] ?? '').split(':');
  const column = columns.find(({ sort }) => sort !== undefined && sort === field);
  if (!column || missingFor(column, search, person).length > 0) return undefined;
  return { field, direction: direction === 'asc' ? 'asc' : 'desc' };
}

/** The variables of a list's document for the values in the URL. */
export function listVariables<Row, Variables>(
  definition: ListDefinition<Row, Variables>,
  mode: string,
  search: Search,
  person: Person,
): Variables {
  const filters = Object.assign(
    endsToday(definition, mode, search) ? untilToday() : {},
    ...(definition.filters ?? []).map((filter) => {
      const value = search[filter.key];
      return value === undefined || value === '' ? {} : filter.toInput(value, search);
    }),
  );
  const sortBy = sortOf(definition.columns, search, person);
  const page = Math.max(1, Math.trunc(Number(search['page'] ?? 1)) || 1);
  return {
    // The lists of people take their filters as arguments, and a limit with an offset. A document that does not name
    // a variable ignores it.
    ...filters,
    limit: pageSize,
    offset: (page - 1) * pageSize,
    mode,
    isHub: may(person, 'hub'),
    page,
    pageSize,
    filters,
    ...(sortBy && { sortBy }),
    ...(definition.byPartner && search['partner'] ? { partnerSlug: search['partner'] } : {}),
    ...definition.variables,
  } as Variables;
}

/** A filter by one or more of a closed set of values. */
export function choice(key: string, label: string, choices: readonly string[], one = false): Filter {
  return {
    kind: 'choice',
    key,
    label,
    choices,
    toInput: (value) => ({ [key]: one ? value : value.split(',') }),
  };
}

/** A filter by a text field of the list's rows. */
export function textFilter(key: string, label: string, condition: 'is' | 'contains' = 'contains'): Filter {
  return { kind: 'text', key, label, toInput: (value) => ({ [key]: { condition, value: value.trim() } }) };
}

/** A filter by a text that must be complete, such as an identifier, whose prefix a placeholder like `ord_…` names. */
export function idFilter(key: string, label: string, placeholder: string, many = false): Filter {
  const [prefix] = /^[a-z]+_(?=…$)/.exec(placeholder) ?? [];
  return {
    kind: 'text',
    key,
    label,
    placeholder,
    ...(prefix !== undefined && { prefix }),
    toInput: (value) => ({ [key]: many ? [value.trim()] : value.trim() }),
  };
}

/** A filter by an object that is chosen by its name. The URL has its identifier. */
export function objectFilter(key: string, label: string, object: ObjectKind, many = false): Filter {
  return { kind: 'object', object, key, label, toInput: (value) => ({ [key]: many ? [value] : value }) };
}

/** A filter by the account of the rows. */
export const accountFilter = objectFilter('platformAccountId', 'Account', 'account');

/** A filter by a field that is true or false. */
export function yesOrNo(key: string, label: string): Filter {
  return { ...choice(key, label, ['yes', 'no'], true), toInput: (value) => ({ [key]: value === 'yes' }) };
}

/** Filters by the days of a time, the first and the last of them, both included. Days are those of the chosen time zone. */
export function days(field: string, label: string, keys = { from: 'since', to: 'until' }): readonly [Filter, Filter] {
  const toInput = (_value: string, { [keys.from]: from = '', [keys.to]: to = '' }: Search) => ({
    [field]: { condition: 'is_between_date', value: daysBetween(from || '2000-01-01', to || '9999-12-30') },
  });
  return [
    { kind: 'date', key: keys.from, label: `${label} since`, toInput },
    { kind: 'date', key: keys.to, label: `${label} until`, toInput },
  ];
}

/** Filters by the days in which something was created. */
export const created = days('createdAt', 'Created');

/** A filter by the exact amount, such as `49.90`, in the currency that is filtered by, or else in one of two digits. */
export const amountFilter: Filter = {
  kind: 'text',
  key: 'amount',
  label: 'Amount',
  placeholder: '49.90',
  toInput: (value, { currency = '' }) => {
    // What is no amount is sent as it stands: the platform says what is wrong with it.
    const amount = minorUnits(value, currency || 'USD') ?? value;
    return { amount: { min: amount, max: amount } };
  },
};
