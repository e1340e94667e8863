import type { ObjectRef } from '@pothos/core';
import type { ScopeMap } from '../auth/scopes.ts';
import { tenantCondition } from '../auth/tenancy.ts';
import type { Context } from '../call/context.ts';
import { constant, empty, identifier, type Sql, sql } from '../database/sql.ts';
import { type BuilderTypes, builder } from '../graph/builder.ts';
import { linkedRows } from '../graph/linked-rows.ts';

/** A kind of object that links lead to. */
export interface Target<Row, Item> {
  type: ObjectRef<BuilderTypes, Item>;
  table: string;
  /** Columns in addition to those of the table. */
  columns?(context: Context): Sql;
  /** The scopes of the root fields that return it, which are those of a link to it. */
  scopes: ScopeMap;
  /** The column of the account; `id` in the table of accounts itself. */
  accountColumn?: string;
  always?(context: Context): Sql;
  /** The column by which links to many are sorted. Default: `createdAt`. */
  order?: string;
  item(row: Row): Item;
}

/** A link to at most one object: the field of the object that holds its identifier. */
export function toOne<Parent, Row extends object, Item>(
  target: Target<Row, Item>,
  description: string,
  idOf: (parent: Parent) => string | null,
) {
  return {
    type: target.type,
    nullable: true as const,
    description,
    authScopes: target.scopes,
    resolve: async (parent: Parent, _args: object, context: Context): Promise<Item | null> => {
      const id = idOf(parent);
      if (id === null) return null;
      const link = { name: target.table, statement: (ids: readonly string[]) => rowsOf(target, context, ids) };
      const [row] = await linkedRows<Row>(context, link, id);
      return row ? target.item(row) : null;
    },
  };
}

/** The latest `max` objects of a target that refer to an object, and whether there are more. */
export async function latestOf<Row extends object, Item>(
  target: Target<Row, Item>,
  { id }: { id: string },
  { by, max }: { by: string | Through; max: number },
  context: Context,
): Promise<{ items: Item[]; hasMore: boolean }> {
  const rows = await latest(target, { id, by, count: max + 1 }, context);
  return { items: rows.slice(0, max).map((row) => target.item(row)), hasMore: rows.length > max };
}

function latest<Row extends object, Item>(
  target: Target<Row, Item>,
  { id, by, count }: { id: string; by: string | Through; count: number },
  context: Context,
): Promise<Row[]> {
  const link = {
    name: `${target.table} ${typeof by === 'string' ? by : by.table} ${count}`,
    statement: (ids: readonly string[]) => latestRowsOf(target, context, ids, by, count),
  };
  return linkedRows<Row>(context, link, id);
}

/** A link through the rows of another table that refer to the parent, such as deliveries of the events of an object. */
export interface Through {
  table: string;
  /** Its column that refers to the parent. */
  column: string;
  /** The column of the target that refers to its row. */
  by: string;
}

/** A link to the latest objects whose column refers to the parent, or to a row of another table that does. */
export function toMany<Row extends object, Item>(target: Target<Row, Item>, description: string, by: string | Through) {
  return {
    type: [target.type] as [typeof target.type],
    nullable: true as const,
    description: `${description} The newest first.`,
    args: { first },
    authScopes: target.scopes,
    complexity: ({ first: count }: { first: number }) => ({ field: 1, multiplier: count }),
    resolve: async ({ id }: { id: string }, { first: count }: { first: number }, context: Context): Promise<Item[]> =>
      (await latest(target, { id, by, count }, context)).map((row) => target.item(row)),
  };
}

const { first } = builder.args((t) => ({
  first: t.field({
    type: 'PageSize',
    required: true,
    defaultValue: 10,
    description: 'The maximum number of objects, 1 to 100. The list of this kind of object has pages.',
  }),
}));

function rowsOf<Row, Item>(target: Target<Row, Item>, context: Context, ids: readonly string[]): Sql {
  return sql`
    SELECT t.*${columnsOf(target, context)}, t.id AS "linkedTo"
    FROM ${identifier(target.table)} t
    WHERE t.id = ANY(${[...ids]}) AND ${visible(target, context)}
  `;
}

function latestRowsOf<Row, Item>(
  target: Target<Row, Item>,
  context: Context,
  ids: readonly string[],
  by: string | Through,
  count: number,
): Sql {
  return sql`
    SELECT l.*
    FROM unnest(${[...ids]}::text[]) parent (id)
    CROSS JOIN LATERAL (
      SELECT t.*${columnsOf(target, context)}, parent.id AS "linkedTo"
      FROM ${identifier(target.table)} t
      WHERE ${namesParent(by)} AND ${visible(target, context)}
      ORDER BY t.${identifier(target.order ?? 'createdAt')} DESC, t.id DESC
      LIMIT ${constant(count)}
    ) l
  `;
}

function namesParent(by: string | Through): Sql {
  if (typeof by === 'string') return sql`t.${identifier(by)} = parent.id`;
  // An array, so that the rows are found by the index of the column and not by a scan in the order of the link.
  return sql`t.${identifier(by.by)} = ANY(ARRAY(
        SELECT o.id FROM ${identifier(by.table)} o WHERE o.${identifier(by.column)} = parent.id
      ))`;
}

const columnsOf = <Row, Item>({ columns }: Target<Row, Item>, context: Context): Sql =>
  columns ? sql`, ${columns(context)}` : empty;

/**
 * The rows of a key are those of its tenant. The object at which a link starts is visible to the operator, and
 * composite foreign keys ensure that linked rows have the same account, partner and mode.
 */
function visible<Row, Item>({ accountColumn, always }: Target<Row, Item>, context: Context): Sql {
  const { tenant } = context;
  const own = tenant ? tenantCondition(tenant, accountColumn) : sql`true`;
  return always ? sql`${own} AND ${always(context)}` : own;
}
