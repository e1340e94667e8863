import { createHash } from 'node:crypto';
import type pg from 'pg';
import { isOverPartners, tenantCondition, type Visibility } from '../auth/tenancy.ts';
import { readFromReplica } from '../database/replica.ts';
import { columnList, constant, empty, identifier, join, queryList, raw, type Sql, sql } from '../database/sql.ts';
import { type InputIssue, InvalidInput, invalid } from '../lib/errors.ts';
import { canonicalJson } from '../lib/json.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { Filter } from './filters.ts';

/**
 * How far matching rows are counted for operators, whose lists span every partner: the total of more rows is null. The
 * total of a key is exact, and so is one from a counter.
 */
export const countedMax = 10_000;

function isCounter({ counted }: { counted?: boolean }, filters: readonly Sql[]): boolean {
  return counted === true && filters.length === 0;
}

const stopsCounting = (visibility: Visibility): boolean => 'kind' in visibility;

/** The total: from a counter that the transactions adding rows maintain, or counted. */
function totalOf(list: { table: string }, visibility: Visibility, where: Sql, isCounted: boolean): Sql {
  const rows = sql`FROM ${identifier(list.table)} t WHERE ${where}`;
  if (!isCounted && stopsCounting(visibility))
    return sql`(SELECT count(*) FROM (SELECT 1 ${rows} LIMIT ${constant(countedMax + 1)}) c)`;
  if (!isCounted) return sql`(SELECT count(*) ${rows})`;
  return sql`(
      SELECT coalesce(sum(t.n), 0)::bigint
      FROM counters.row_counts t
      WHERE t.relation = ${raw(`'${list.table}'`)} AND ${tenantCondition(visibility)}
    )`;
}

/** The number of rows of the CTE `page` if the page is not full; otherwise `total`, which is evaluated only then. */
function countUnlessShort(total: Sql, limit: number): Sql {
  const found = sql`(SELECT count(*) FROM page)`;
  return sql`CASE WHEN ${found} < ${constant(limit)} THEN ${found} ELSE ${total} END`;
}

/**
 * Every list of the platform: one definition per list, one SQL statement per page, which reads the rows of the page
 * along an index first, joins related rows to them, and adds the total (docs/contract/08-lists.md). Written in SQL
 * because lists have most of the traffic; the tests compare it with the plain Prisma form of the same list.
 */
export interface ListDefinition<Filters extends object> {
  /** Table of the rows, known as `t` in filters and joins. */
  table: string;
  /** Made by `columnsRead` if the table has many columns that its type does not show. Default: all columns. */
  columns?: Sql;
  /** Further columns and the joins that they come from. */
  extra?: { columns: Sql; joins?: Sql };
  /** The column of each sort field. */
  sorts: Readonly<Record<string, string>>;
  /** Further sort fields with an index over all partners; the others require a partner in the query. */
  sortsOverAll?: readonly string[];
  filters: { readonly [Name in keyof Filters]-?: Filter<NonNullable<Filters[Name]>> };
  /** Filters whose index begins with the partner: people name one partner with them. */
  filtersWithinPartner?: readonly (keyof Filters & string)[];
  /** A condition that applies to every page, such as "active". */
  always?: Sql;
  /** The column that names the account; `id` in the table of accounts itself. */
  accountColumn?: string;
  /** The total without filters comes from a counter instead of counting (see the migration that creates `counters`). */
  counted?: boolean;
  /** Whether `cursor` is accepted. */
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
  hasMore: boolean;
}

/** A page with the items as the API returns them. */
export function mapPage<Row, Item>(page: Page<Row>, itemOf: (row: Row) => Item): Page<Item> {
  return { ...page, items: page.items.map((row) => itemOf(row)) };
}

/** The columns of a list: those that a field of its type reads or by which it is sorted, `createdAt` and `id`. */
export function columnsRead(names: readonly string[]): Sql {
  return raw(columnList(names.map((name) => `t.${name}`)).text);
}

type ListRow = { id: string; createdAt: Date };

/** Reads one page of a list, of the rows visible to the caller. */
export async function readList<Row extends ListRow, Filters extends object>(
  pool: pg.Pool,
  visibility: Visibility,
  list: ListDefinition<Filters>,
  requested: ListArguments<Filters>,
): Promise<Page<Row>> {
  const { page, pageSize } = pageOf(requested, list.cursor === true);
  const sort = requested.sortBy ?? { field: 'createdAt', direction: 'desc' };
  const column = list.sorts[sort.field];
  if (column === undefined) throw invalid('sortBy.field', `must be one of ${Object.keys(list.sorts).join(', ')}`);
  assertIndexed(list, visibility, sort.field, requested.filters);

  const filters = filterConditions(list, requested.filters);
  const filtersHash = hashOf(requested.filters);
  const after = requested.cursor == null ? null : decodeCursor(requested.cursor, list.table, filtersHash);
  const statement = pageStatement(list, {
    visibility,
    filters,
    after: after && { value: after.createdAt, id: after.id },
    sort: { column, direction: sort.direction },
    limit: rowsRead(pageSize),
    offset: (page - 1) * pageSize,
    withTotal: after === null,
  });

  const replica = 'replica' in visibility ? visibility.replica : null;
  const rows = await readFromReplica(pool, replica, (source) =>
    queryList<Row & { listTotal: number }>(source, statement),
  );
  const found = rows.filter((row) => row.id !== null);
  const items = found.slice(0, pageSize);
  const last = items.at(-1);
  const hasMore = found.length > pageSize;
  const nextCursor =
    list.cursor && sort.field === 'createdAt' && sort.direction === 'desc' && hasMore && last !== undefined
      ? encodeCursor(list.table, filtersHash, last)
      : null;
  const uncounted = { items, total: null, page: null, pageSize, totalPages: null, nextCursor, hasMore };
  if (after) return uncounted;
  const total = rows[0]?.listTotal ?? 0;
  if (total > countedMax && !isCounter(list, filters) && stopsCounting(visibility)) return { ...uncounted, page };
  return { ...uncounted, total, page, totalPages: Math.ceil(total / pageSize) };
}

/**
 * The limit of the statement. One row more than the page size shows whether there is a next page. The limit is a
 * constant of the text, so that PostgreSQL plans the statement once; the few steps bound the number of texts.
 */
function rowsRead(pageSize: number): number {
  return limits.find((limit) => limit > pageSize) ?? pageSize + 1;
}

const limits = [2, 11, 21, 26, 51, 101];

interface PageRequest {
  visibility: Visibility;
  filters: readonly Sql[];
  /** The row before, by the value of the sort column. */
  after: { value: unknown; id: string } | null;
  sort: { column: string; direction: 'asc' | 'desc' };
  limit: number;
  offset: number;
  withTotal: boolean;
}

export function pageStatement<Filters extends object>(list: ListDefinition<Filters>, request: PageRequest): Sql {
  const { visibility, filters, after, sort, limit, offset, withTotal } = request;
  const table = identifier(list.table);
  const where = rowsWhere(list, visibility, filters);
  const isCounted = isCounter(list, filters);
  const total = withTotal ? totalOf(list, visibility, where, isCounted) : sql`NULL::bigint`;
  const order = (alias: string) => {
    const direction = sort.direction === 'asc' ? sql`ASC` : sql`DESC`;
    return sql`${identifier(`${alias}.${sort.column}`)} ${direction}, ${identifier(`${alias}.id`)} ${direction}`;
  };
  const beyond = sort.direction === 'asc' ? sql`>` : sql`<`;
  const parts: StatementParts = {
    table,
    columns: list.columns ?? sql`t.*`,
    extra: list.extra ? sql`${list.extra.columns}, ` : empty,
    joins: list.extra?.joins ?? empty,
    where: after
      ? sql`${where} AND (${identifier(`t.${sort.column}`)}, t.id) ${beyond} (${after.value}, ${after.id})`
      : where,
    // A page that is not full contains every row that matches, so that a search for rare rows is run once.
    total: withTotal && !isCounted && offset === 0 ? countUnlessShort(total, limit) : total,
    order,
    limit,
  };
  return offset === 0 ? beginningStatement(parts) : laterPageStatement(parts, sort.column, offset);
}

/** The condition of the rows of a list that are visible to a reader and match filters. */
export function rowsWhere(
  { accountColumn, always }: Pick<ListDefinition<object>, 'accountColumn' | 'always'>,
  visibility: Visibility,
  filters: readonly Sql[],
): Sql {
  return join([tenantCondition(visibility, accountColumn), ...(always ? [always] : []), ...filters], ' AND ');
}

interface StatementParts {
  table: Sql;
  columns: Sql;
  extra: Sql;
  joins: Sql;
  where: Sql;
  total: Sql;
  order(alias: string): Sql;
  limit: number;
}

/** The first page, or one after a cursor. Without rows its total is 0. */
function beginningStatement({ table, columns, extra, joins, where, total, order, limit }: StatementParts): Sql {
  return sql`
    WITH page AS (
      SELECT ${columns}
      FROM ${table} t
      WHERE ${where}
      ORDER BY ${order('t')}
      LIMIT ${constant(limit)}
    )
    SELECT t.*, ${extra}${total} AS "listTotal"
    FROM page t
    ${joins}
    ORDER BY ${order('t')}`;
}

/**
 * The offset is in a subquery, which hides its value from the planner: one plan serves every page. Of the skipped rows
 * only the index is read. The total is known also beyond the last page.
 */
function laterPageStatement(parts: StatementParts, sortColumn: string, offset: number): Sql {
  const { table, columns, extra, joins, where, total, order, limit } = parts;
  return sql`
    WITH page AS (
      SELECT t.id${sortColumn === 'id' ? empty : sql`, t.${identifier(sortColumn)}`}
      FROM ${table} t
      WHERE ${where}
      ORDER BY ${order('t')}
      LIMIT ${constant(limit)} OFFSET (SELECT ${offset}::bigint)
    )
    SELECT ${columns}, ${extra}n.total AS "listTotal"
    FROM (SELECT ${total} AS total) n
    LEFT JOIN page ON true
    LEFT JOIN ${table} t ON t.id = page.id
    ${joins}
    ORDER BY ${order('page')}`;
}

/** An index over all partners slows every write: rare orders and filters are therefore available for one partner only. */
function assertIndexed<Filters extends object>(
  { sorts, sortsOverAll = [], filtersWithinPartner = [] }: ListDefinition<Filters>,
  visibility: Visibility,
  field: string,
  filters: Filters | null | undefined,
): void {
  assertFiltersIndexed({ filtersWithinPartner }, visibility, filters);
  if (!isOverPartners(visibility)) return;
  const indexed = [...Object.keys(sorts).slice(0, 1), ...sortsOverAll];
  if (!indexed.includes(field))
    throw invalid(
      'sortBy.field',
      `must be ${indexed.join(' or ')} over all partners: name one with partnerSlug to sort by ${field}`,
    );
}

/** Rejects a filter that has an index only within one partner, when the rows of all partners are asked for. */
export function assertFiltersIndexed<Filters extends object>(
  { filtersWithinPartner = [] }: Pick<ListDefinition<Filters>, 'filtersWithinPartner'>,
  visibility: Visibility,
  filters: Filters | null | undefined,
): void {
  if (!isOverPartners(visibility)) return;
  const withoutIndex = filtersWithinPartner.find((name) => filters?.[name] != null);
  if (withoutIndex !== undefined) throw invalid(`filters.${withoutIndex}`, 'requires partnerSlug for people');
}

/** The requested page, flat or nested. Both forms together, or a page or a sort with a cursor, are rejected. */
function pageOf(requested: ListArguments<object>, takesCursor: boolean): { page: number; pageSize: number } {
  const issues: InputIssue[] = [];
  const nested = requested.pagination;
  if (nested && (requested.page != null || requested.pageSize != null)) {
    issues.push({
      path: 'pagination',
      message: 'cannot be combined with page or pageSize outside of it',
    });
  }
  if (requested.cursor != null) {
    if (!takesCursor) issues.push({ path: 'cursor', message: 'is not supported by this list' });
    if (requested.page != null) issues.push({ path: 'page', message: 'cannot be combined with cursor' });
    if (nested?.page != null) issues.push({ path: 'pagination.page', message: 'cannot be combined with cursor' });
    if (requested.sortBy != null)
      issues.push({ path: 'sortBy', message: 'cannot be combined with cursor, which keeps the default sort' });
  }
  if (issues.length > 0) throw new InvalidInput(issues);
  return { page: nested?.page ?? requested.page ?? 1, pageSize: nested?.pageSize ?? requested.pageSize ?? 20 };
}

/** The conditions of filters. */
export function filterConditions<Filters extends object>(
  list: ListDefinition<Filters>,
  filters: Filters | null | undefined,
): Sql[] {
  const conditions: Sql[] = [];
  for (const name of Object.keys(list.filters) as (keyof Filters & string)[]) {
    const value = filters?.[name];
    if (value != null)
      // null and undefined are excluded above
      conditions.push(list.filters[name](value, `filters.${name}`));
  }
  return conditions;
}

const hashOfNone = digestOf({});

function hashOf(filters: object | null | undefined): string {
  return filters == null ? hashOfNone : digestOf(filters);
}

function digestOf(filters: object): string {
  return createHash('sha256').update(canonicalJson(filters)).digest('base64url').slice(0, 16);
}
