import { forbidden, notFound } from '../../auth/decisions.ts';
import { readableScope } from '../../auth/visibility.ts';
import type { SessionContext } from '../../call/context.ts';
import { constant, join, queryList, raw, type Sql, sql } from '../../database/sql.ts';
import { invalid } from '../../lib/errors.ts';
import { callersPartner, findPartnerFacts } from '../partner-facts.ts';
import type { Slice, UserLookup, UserRow } from '../types.ts';

/** The partner whose users the caller may read; null for all users. */
async function readablePartner(context: SessionContext): Promise<string | null> {
  const scope = readableScope(context.caller, await callersPartner(context.services.prisma, context));
  if (!scope.ok) throw forbidden(scope.reason, scope.takes);
  return scope.partnerSlug;
}

/** Escapes a search text: Prisma passes it to LIKE, where these three characters have a special meaning. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/** The value of `partnerScope` for internal staff, in place of a slug. */
const internalScope = '__internal__';

export interface UserFilters {
  q?: string | null | undefined;
  platformRole?: string | null | undefined;
  partnerScope?: string | null | undefined;
  limit: number;
  offset: number;
}

/** Users of the identity mirror, newest first: all of them for internal staff, the partner's own for a partner. */
export async function listUsers(
  context: SessionContext,
  { q, platformRole, partnerScope, limit, offset }: UserFilters,
): Promise<Slice<UserRow>> {
  const { pool, prisma } = context.services;
  assertScopeFilter(partnerScope);
  const own = await readablePartner(context);
  if (own !== null && partnerScope != null && partnerScope !== own) throw forbidden('other_partner');
  if (partnerScope != null && partnerScope !== internalScope && !(await findPartnerFacts(prisma, partnerScope)))
    throw notFound('partner_not_found');
  const scope = own ?? partnerScope ?? null;
  const filters = [
    ...(platformRole == null ? [] : [sql`t."platformRoles" @> (SELECT ARRAY[${platformRole}::text])`]),
    ...(q == null || q === '' ? [] : [searchCondition(q.toLowerCase())]),
  ];
  const where = join([sql`t."deletedAt" IS NULL`, ...scopeCondition(scope), ...filters], ' AND ');
  const total = filters.length === 0 ? storedTotal(scope) : sql`(SELECT count(*) FROM iam_users t WHERE ${where})`;
  const read = await queryList<UserRow & { total: number }>(pool, sliceStatement(where, total, limit, offset));
  const rows = read.filter(({ idpUserId }) => idpUserId !== null).slice(0, limit);
  return { rows, total: read[0]?.total ?? 0, limit, offset };
}

/** The statement's limit is rounded up to one of these, which bounds the number of texts, as in `readList`. */
const limits = [10, 25, 50, 100, 200, 500];

/** At least one row, for the total; its other columns are null if this part has no users. */
function sliceStatement(where: Sql, total: Sql, limit: number, offset: number): Sql {
  return sql`
    SELECT page.*, n.total
    FROM (SELECT ${total} AS total) n
    LEFT JOIN (
      SELECT t."idpUserId", t.email, t."platformRoles", t."whitelabelOwnership", t."createdAt"
      FROM iam_users t
      WHERE ${where}
      ORDER BY t."createdAt" DESC, t."idpUserId" DESC
      LIMIT ${constant(limits.find((step) => step >= limit) ?? limit)}
      OFFSET (SELECT ${offset}::bigint)
    ) page ON true
    ORDER BY page."createdAt" DESC, page."idpUserId" DESC`;
}

function assertScopeFilter(scope: string | null | undefined): void {
  if (scope == null || scope === internalScope || /^[a-z0-9-]{3,40}$/.test(scope)) return;
  throw invalid('partnerScope', `must be a partner's slug (3 to 40 characters of a-z, 0-9 and -) or ${internalScope}`);
}

/** Internal staff have at least one role and no partner; a user without any role is no staff. */
function scopeCondition(scope: string | null): Sql[] {
  if (scope === null) return [];
  return scope === internalScope
    ? [sql`t."whitelabelOwnership" IS NULL AND t."platformRoles" <> '{}'`]
    : [sql`t."whitelabelOwnership" = ${scope}`];
}

/** The number of users in a scope, from a counter that the transactions that change users maintain. */
function storedTotal(scope: string | null): Sql {
  const kind = scope === null ? 'all' : scope === internalScope ? 'internal' : 'partner';
  return sql`(
      SELECT coalesce(sum(c.n), 0)::bigint
      FROM counters.user_counts c
      WHERE c.kind = ${raw(`'${kind}'`)} AND c.slug = ${kind === 'partner' ? scope : ''}
    )`;
}

function searchCondition(lowered: string): Sql {
  return sql`(strpos(t."emailLower", ${lowered}) > 0 OR strpos(lower(t."idpUserId"), ${lowered}) > 0)`;
}

/** One user by email address or id. A user who is not visible to the caller is not found. */
export async function findUser(
  context: SessionContext,
  { email, idpUserId }: { email?: string | null | undefined; idpUserId?: string | null | undefined },
): Promise<UserLookup> {
  if (email == null && idpUserId == null) throw invalid('email', 'is required, or idpUserId instead');
  if (email != null && idpUserId != null) throw invalid('idpUserId', 'cannot be combined with email');
  const own = await readablePartner(context);
  const name = email != null ? { emailLower: email.toLowerCase() } : { idpUserId: idpUserId ?? '' };
  const user = await context.services.prisma.iamUser.findFirst({
    where: { ...name, deletedAt: null, ...(own !== null && { whitelabelOwnership: own }) },
    orderBy: { createdAt: 'desc' },
  });
  return { found: user !== null, user };
}
