import { constant, empty, identifier, join, type Sql, sql } from '../../database/sql.ts';
import type { Mode } from '../../lib/ids.ts';
import { type FindKind, findKinds } from './search-kinds.ts';

/** An object that a text identifies. */
export interface SearchResult {
  kind: FindKind;
  id: string;
  label: string;
  belongsTo: string | null;
  mode: string | null;
  partnerId: string | null;
  platformAccountId: string | null;
  createdAt: Date;
}

/** What is visible to a caller: both modes or one, all partners or their own. */
export interface Scope {
  mode: Mode | null;
  partnerId: string | null;
}

/** How many objects of one kind are returned. */
export const hitsMax = 20;

export interface Query {
  kind: FindKind;
  statement: Sql;
}

/** Objects of one kind under a condition that uses an index by itself or that has few rows to look at. */
export function ofKind(kind: FindKind, condition: Sql, scope: Scope, first = empty): Query {
  const statement = sql`
    SELECT h.*
    FROM (
      SELECT ${columnsOf(kind)}
      FROM ${identifier(findKinds[kind].table)} t
      WHERE ${condition}
    ) h
    WHERE ${visible(scope)}
    ORDER BY ${first} h."createdAt" DESC, h.id DESC
    LIMIT ${constant(hitsMax)}`;
  return { kind, statement };
}

/** The newest objects of one kind under a condition whose index begins with partner and mode. */
export function ofPartners(kind: FindKind, condition: Sql, { mode, partnerId }: Scope): Query {
  const statement = sql`
    SELECT h.*
    FROM partners p
    CROSS JOIN unnest(${mode === null ? ['live', 'test'] : [mode]}::text[]) m (mode)
    CROSS JOIN LATERAL (
      SELECT ${columnsOf(kind)}
      FROM ${identifier(findKinds[kind].table)} t
      WHERE t."partnerId" = p.id AND t.mode = m.mode AND ${condition}
      ORDER BY t."createdAt" DESC, t.id DESC
      LIMIT ${constant(hitsMax)}
    ) h
    ${partnerId === null ? empty : sql`WHERE p.id = ${partnerId}`}
    ORDER BY h."createdAt" DESC, h.id DESC
    LIMIT ${constant(hitsMax)}`;
  return { kind, statement };
}

function columnsOf(kind: FindKind): Sql {
  const { label, belongsTo, columns }: { label: Sql; belongsTo?: Sql; columns?: Record<string, Sql> } = findKinds[kind];
  const column = (name: string) => columns?.[name] ?? sql`t.${identifier(name)}`;
  return sql`
        ${kind}::text AS kind, ${column('id')} AS id, ${label} AS label, ${belongsTo ?? sql`NULL::text`} AS "belongsTo",
        ${column('mode')} AS mode, ${column('partnerId')} AS "partnerId",
        ${column('platformAccountId')} AS "platformAccountId", ${column('createdAt')} AS "createdAt"`;
}

/** A row without a mode, such as a user, belongs to both. */
function visible({ mode, partnerId }: Scope): Sql {
  return join(
    [
      sql`true`,
      ...(mode === null ? [] : [sql`coalesce(h.mode, ${mode}) = ${mode}`]),
      ...(partnerId === null ? [] : [sql`h."partnerId" = ${partnerId}`]),
    ],
    ' AND ',
  );
}
