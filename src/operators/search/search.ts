import { visiblePartnerId } from '../../auth/visibility.ts';
import type { SessionContext } from '../../call/context.ts';
import { constant, empty, identifier, join, queryList, type Sql, sql } from '../../database/sql.ts';
import { type Mode, momentOf } from '../../lib/ids.ts';
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
interface Scope {
  mode: Mode | null;
  partnerId: string | null;
}

/** How many objects of one kind are returned. */
export const hitsMax = 20;

/**
 * The objects that a text identifies: an identifier, an email address, the last four digits of a card, the public part
 * of an API key, a processor's reference, a name or a Request-Id. Each form is one query, for objects of any age. It uses
 * an index, but for names of what the platform has few of.
 */
export async function findObjects(context: SessionContext, text: string, mode: Mode | null): Promise<SearchResult[]> {
  const scope = { mode, partnerId: await visiblePartnerId(context) };
  const wanted = text.trim();
  const queries = queriesFor(wanted, scope).filter(({ kind }) => findKinds[kind].readers(context.caller));
  const { pool } = context.services;
  const found = await Promise.all(queries.map(({ statement }) => queryList<SearchResult>(pool, statement)));
  const hits = atMostOfKind(found.flat());
  if (hits.length > 0 || !requestIdPattern.test(wanted)) return hits;
  return byRequest(context, wanted, scope);
}

/** Each object once, and only the first of a kind: several queries may look for the same kind. */
function atMostOfKind(hits: readonly SearchResult[]): SearchResult[] {
  const unique = [...new Map(hits.map((hit) => [hit.id, hit])).values()];
  return [...Map.groupBy(unique, ({ kind }) => kind).values()].flatMap((ofKind) => ofKind.slice(0, hitsMax));
}

interface Query {
  kind: FindKind;
  statement: Sql;
}

const requestIdPattern = /^[A-Za-z0-9_-]{8,64}$/;
const keyPattern = /^tp_sk_(?:partner_)?(?:live|test)_(?:[0-9a-z]{1,2}_)?[0-9A-Za-z]{8}/;

/**
 * A text that starts like an identifier of the platform may be a processor's: Stripe also has ids that start with
 * `pi_`.
 */
function queriesFor(text: string, scope: Scope): Query[] {
  if (text.includes('@')) return byEmail(text.toLowerCase(), scope);
  if (/^\d{4}$/.test(text)) return [ofPartners('paymentInstrument', sql`t.last4 = ${text}`, scope)];
  const key = keyPattern.exec(text)?.[0];
  // The secret part of a key that was pasted whole is not used.
  if (key !== undefined) return [ofKind('apiKey', sql`t.prefix = ${key}`, scope)];
  const kind = kindOf(text);
  return [
    ...(kind ? [ofKind(kind, sql`t.${identifier(kind === 'user' ? 'idpUserId' : 'id')} = ${text}`, scope)] : []),
    ofKind('transaction', sql`t."processorReference" = ${text}`, scope),
    ofKind('dispute', sql`t."processorReference" = ${text}`, scope),
    ...(kind ? [] : byName(text, scope)),
  ];
}

/** The kinds of which there are so few that a part of the name is looked for in every row. */
const fewOfThem = ['account', 'store', 'processor', 'partner'] as const;
const shortestName = 2;

function byName(text: string, scope: Scope): Query[] {
  if (text.length < shortestName) return [];
  const wanted = sql`(SELECT lowered(${text}))`;
  const likely = sql`lowered(h.label) = ${wanted} DESC, starts_with(lowered(h.label), ${wanted}) DESC,`;
  const parts = fewOfThem.map((kind) =>
    ofKind(kind, sql`strpos(lowered(${findKinds[kind].label}), ${wanted}) > 0`, scope, likely),
  );
  return [...parts, ...customersByName(text, scope)];
}

/** Customers are many. A whole name, as it is mostly written, is found by an index; a part of it is not. */
function customersByName(text: string, scope: Scope): Query[] {
  const words = text.split(/\s+/);
  const is = (column: string, name: string) => sql`t.${identifier(column)} = ANY(${spellings(name)}::text[])`;
  const last = is('lastName', words.at(-1) ?? '');
  if (words.length > 1)
    return [ofPartners('customer', sql`${is('firstName', words.slice(0, -1).join(' '))} AND ${last}`, scope)];
  return [ofPartners('customer', last, scope), ofPartners('customer', is('firstName', text), scope)];
}

function spellings(name: string): string[] {
  const lowered = name.toLowerCase();
  return [...new Set([name, lowered, lowered.replace(/\p{L}/u, (letter) => letter.toUpperCase())])];
}

function kindOf(id: string): FindKind | undefined {
  const prefix = id.slice(0, id.indexOf('_') + 1);
  return (Object.keys(findKinds) as FindKind[]).find((kind) => findKinds[kind].prefix === prefix);
}

function byEmail(lowered: string, scope: Scope): Query[] {
  return [
    ofKind('user', sql`t."emailLower" = ${lowered} AND t."deletedAt" IS NULL`, scope),
    ofPartners('customer', sql`t."emailLower" = ${lowered}`, scope),
  ];
}

/** Objects of one kind under a condition that uses an index by itself or that has few rows to look at. */
function ofKind(kind: FindKind, condition: Sql, scope: Scope, first = empty): Query {
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
function ofPartners(kind: FindKind, condition: Sql, { mode, partnerId }: Scope): Query {
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

/** The span around the time in a Request-Id of the platform; a charge may wait that long for its processor. */
const beforeMs = 60_000;
const afterMs = 600_000;
/** An id that the client chose contains no time: only this number of the latest events is searched. */
const eventsMax = 50_000;

/** The audit rows of a request, and the objects that its events are about. */
async function byRequest(context: SessionContext, requestId: string, scope: Scope): Promise<SearchResult[]> {
  const { pool } = context.services;
  const audits = isReadable('auditRow', context) ? [ofKind('auditRow', sql`t."requestId" = ${requestId}`, scope)] : [];
  const [objects, ...rows] = await Promise.all([
    queryList<{ objectId: string }>(pool, objectsOfRequest(requestId, scope)),
    ...audits.map(({ statement }) => queryList<SearchResult>(pool, statement)),
  ]);
  const byId = objects.flatMap(({ objectId }) => {
    const kind = kindOf(objectId);
    return kind && isReadable(kind, context) ? [ofKind(kind, sql`t.id = ${objectId}`, scope)] : [];
  });
  const named = await Promise.all(byId.map(({ statement }) => queryList<SearchResult>(pool, statement)));
  return [...named.flat(), ...rows.flat()];
}

function isReadable(kind: FindKind, { caller }: SessionContext): boolean {
  return findKinds[kind].readers(caller);
}

/**
 * A partner's events are read from the partner's index, whose order no other index has. Otherwise, a partner that is
 * large in one mode and has no events in the other would be searched for in all events of that mode.
 */
function objectsOfRequest(requestId: string, { mode, partnerId }: Scope): Sql {
  const at = momentOf(requestId)?.getTime();
  const span =
    at === undefined ? empty : sql`AND e."createdAt" BETWEEN ${new Date(at - beforeMs)} AND ${new Date(at + afterMs)}`;
  return sql`
    SELECT DISTINCT f."objectId"
    FROM unnest(${mode === null ? ['live', 'test'] : [mode]}::text[]) m (mode)
    CROSS JOIN LATERAL (
      SELECT e."objectId", e."requestId"
      FROM events e
      WHERE e.mode = m.mode ${partnerId === null ? empty : sql`AND e."partnerId" = ANY(${[partnerId]})`} ${span}
      ORDER BY ${partnerId === null ? empty : sql`e."partnerId",`} e."createdAt" DESC, e.id DESC
      LIMIT ${constant(eventsMax)}
    ) f
    WHERE f."requestId" = ${requestId}
    LIMIT ${constant(hitsMax)}`;
}
