import { visiblePartnerId } from '../../auth/visibility.ts';
import type { SessionContext } from '../../call/context.ts';
import { constant, empty, identifier, queryList, type Sql, sql } from '../../database/sql.ts';
import { type Mode, momentOf } from '../../lib/ids.ts';
import { type FindKind, findKinds } from './search-kinds.ts';
import { byName } from './search-names.ts';
import { hitsMax, ofKind, ofPartners, type Query, type Scope, type SearchResult } from './search-queries.ts';

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
