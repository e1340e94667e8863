import { createHash } from 'node:crypto';
import type pg from 'pg';
import { type Reach, tenantSql } from '../auth/tenancy.ts';
import { InvalidInput, invalid, type InputIssue } from '../kit/errors.ts';
import { statementName } from '../kit/statements.ts';
import { decodeCursor, encodeCursor } from './list-cursor.ts';
import type { Bind, Filter } from './list-filters.ts';

/**
 * Every list of the platform: one definition a list, one SQL statement a page, which reads the ids of the page along an index
 * first, joins the rows to them, and brings the total with it (contract 8). Written out as SQL because lists are where the
 * traffic is; the plain Prisma form of the same list is what the tests compare it with.
 */
export interface ListDefinition<Filters extends object> {
  /** Table of the rows, known as `t` in filters and joins. */
  table: string;
  /** Further columns and the joins they come from. */
  extra?: { columns: string; joins: string };
  /** Wire name of a sort field → column. */
  sorts: Readonly<Record<string, string>>;
  /** Sort fields beside the first that an index has over all partners, too; the others are for whoever names one. */
  sortsOverAll?: readonly string[];
  filters: { readonly [Name in keyof Filters]-?: Filter<NonNullable<Filters[Name]>> };
  /** A condition that always holds, such as "active". Given the placeholder maker of the statement. */
  always?: (bind: Bind) => string;
  /** The column that names the account; `id` in the table of accounts itself. */
  accountColumn?: string;
  /** The total without filters comes from a counter instead of counting (see the migration that makes `counters`). */
  counted?: boolean;
  /** Whether `cursor` is taken. */
  cursor?: boolean;
}

export interface ListArguments<Filters extends object> {
  page?: number | null | undefined;
  pageSize?: number | null | undefined;
  pagination?: { page?: number | null | undefined; pageSize?: number | null | undefined } | null | undefined;
  sortBy?: { field: string; direction: 'asc' | 'desc' } | null | undefined;
  filters?: Filters | null | undefined;
  cursor?: string | null | undefined;
}

export interface Page<Row> {
  items: Row[];
  total: number | null;
  page: number | null;
  pageSize: number;
  totalPages: number | null;
  nextCursor: string | null;
}

type ListRow = { id: string; createdAt: Date };

/** Reads one page of a list within the caller's reach. */
export async function readList<Row extends ListRow, Filters extends object>(
  pool: pg.Pool,
  reach: Reach,
  list: ListDefinition<Filters>,
  asked: ListArguments<Filters>,
): Promise<Page<Row>> {
  const { page, pageSize } = pageOf(asked, list.cursor === true);
  const sort = asked.sortBy ?? { field: 'createdAt', direction: 'desc' };
  const direction = sort.direction === 'asc' ? 'ASC' : 'DESC';
  const column = list.sorts[sort.field];
  if (column === undefined) throw invalid('sortBy.field', `must be one of ${Object.keys(list.sorts).join(', ')}`);
  assertIndexed(list, reach, sort.field);

  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const tenant = tenantSql(reach, bind, list.accountColumn);
  const filters = filterConditions(list, asked.filters, bind);
  const always = list.always ? [list.always(bind)] : [];
  const where = [tenant, ...always, ...filters].join(' AND ');
  const filtersHash = hashOf(asked.filters);
  const after = asked.cursor == null ? null : decodeCursor(asked.cursor, list.table, filtersHash);

  const total = after ? 'NULL::bigint' : totalSql(list, reach, bind, where, filters.length === 0);
  const seek = after ? ` AND (t."createdAt", t.id) < (${bind(after.createdAt)}, ${bind(after.id)})` : '';
  const offset = after ? '' : ` OFFSET ${bind((page - 1) * pageSize)}`;
  const order = (alias: string) => `${alias}."${column}" ${direction}, ${alias}.id ${direction}`;
  const columns = column === 'id' ? 't.id' : `t.id, t."${column}"`;
  // One row more than asked tells whether there is a next page.
  const text = `WITH page AS (SELECT ${columns} FROM ${list.table} t WHERE ${where}${seek} ORDER BY ${order('t')} LIMIT ${bind(pageSize + 1)}${offset})
SELECT t.*${list.extra ? `, ${list.extra.columns}` : ''}, n.total AS "listTotal" FROM (SELECT ${total} AS total) n
LEFT JOIN page ON true LEFT JOIN ${list.table} t ON t.id = page.id ${list.extra?.joins ?? ''} ORDER BY ${order('page')}`;

  const { rows } = await pool.query<Row & { listTotal: number }>({ name: statementName(text), text, values });
  const found = rows.filter((row) => row.id !== null);
  const items = found.slice(0, pageSize);
  const last = items.at(-1);
  const more = found.length > pageSize && last !== undefined;
  const nextCursor =
    list.cursor && sort.field === 'createdAt' && sort.direction === 'desc' && more
      ? encodeCursor(list.table, filtersHash, last)
      : null;
  if (after) return { items, total: null, page: null, pageSize, totalPages: null, nextCursor };
  const count = rows[0]?.listTotal ?? 0;
  return { items, total: count, page, pageSize, totalPages: Math.ceil(count / pageSize), nextCursor };
}

/** Over all partners every index is one more to be written with every row: what few ask for is asked of one partner. */
function assertIndexed(
  { sorts, sortsOverAll = [] }: Pick<ListDefinition<object>, 'sorts' | 'sortsOverAll'>,
  reach: Reach,
  field: string,
): void {
  if (reach.kind !== 'operator' || reach.partnerId !== null) return;
  const indexed = [...Object.keys(sorts).slice(0, 1), ...sortsOverAll];
  if (!indexed.includes(field))
    throw invalid(
      'sortBy.field',
      `must be ${indexed.join(' or ')} over all partners: name one with partnerSlug to sort by ${field}`,
    );
}

/** The page asked for, flat or nested; refuses both at once, and a page or a sort beside a cursor. */
function pageOf(asked: ListArguments<object>, takesCursor: boolean): { page: number; pageSize: number } {
  const issues: InputIssue[] = [];
  const nested = asked.pagination;
  for (const name of ['page', 'pageSize', 'sortBy'] as const) {
    if (asked[name] === null) issues.push({ path: name, message: 'must not be null: leave it out instead' });
  }
  for (const name of ['page', 'pageSize'] as const) {
    if (nested?.[name] === null)
      issues.push({ path: `pagination.${name}`, message: 'must not be null: leave it out instead' });
  }
  if (nested && (asked.page != null || asked.pageSize != null)) {
    issues.push({
      path: 'pagination',
      message: 'must not stand beside a flat page or pageSize: use one of the two forms',
    });
  }
  if (asked.cursor != null) {
    if (!takesCursor) issues.push({ path: 'cursor', message: 'is not taken by this list' });
    if (asked.page != null) issues.push({ path: 'page', message: 'must not stand beside cursor' });
    if (nested?.page != null) issues.push({ path: 'pagination.page', message: 'must not stand beside cursor' });
    if (asked.sortBy != null)
      issues.push({ path: 'sortBy', message: 'must not stand beside cursor, which keeps the default sort' });
  }
  if (issues.length > 0) throw new InvalidInput(issues);
  return { page: nested?.page ?? asked.page ?? 1, pageSize: nested?.pageSize ?? asked.pageSize ?? 20 };
}

function filterConditions<Filters extends object>(
  list: ListDefinition<Filters>,
  filters: Filters | null | undefined,
  bind: Bind,
): string[] {
  const conditions: string[] = [];
  for (const name of Object.keys(list.filters) as (keyof Filters & string)[]) {
    const value = filters?.[name];
    // A filter that means nothing must not match everything.
    if (value === null) throw invalid(`filters.${name}`, 'must not be null: leave it out instead');
    if (value !== undefined)
      conditions.push(list.filters[name](value as NonNullable<Filters[typeof name]>, bind, `filters.${name}`)); // null and undefined are gone
  }
  return conditions;
}

/** Exact either way: a counter kept in the transactions that add rows, or a count along the index. */
function totalSql<Filters extends object>(
  list: ListDefinition<Filters>,
  reach: Reach,
  bind: Bind,
  where: string,
  unfiltered: boolean,
): string {
  if (!list.counted || !unfiltered) return `(SELECT count(*) FROM ${list.table} t WHERE ${where})`;
  return `(SELECT coalesce(sum(t.n), 0)::bigint FROM counters.row_counts t WHERE t.relation = '${list.table}' AND ${tenantSql(reach, bind)})`;
}

const hashOfNone = digestOf({});

function hashOf(filters: object | null | undefined): string {
  return filters == null ? hashOfNone : digestOf(filters);
}

function digestOf(filters: object): string {
  return createHash('sha256').update(JSON.stringify(filters, sortedKeys)).digest('base64url').slice(0, 16);
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
