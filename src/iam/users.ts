import type { IamUser, Prisma } from '../generated/prisma/client.ts';
import type { SessionContext } from '../graph/context.ts';
import { invalid } from '../kit/errors.ts';
import { callersPartner, findPartner } from './people.ts';
import { readableScope } from './policy.ts';
import { forbidden, notFound } from './refusals.ts';

export type UserRow = Pick<IamUser, 'idpUserId' | 'email' | 'platformRoles' | 'whitelabelOwnership' | 'createdAt'>;

export interface Slice<Row> {
  rows: Row[];
  total: number;
  limit: number;
  offset: number;
}

/** What `partnerScope` says for unscoped staff instead of a slug. */
export const internalScope = '__internal__';

export interface UserFilters {
  q?: string | null | undefined;
  platformRole?: string | null | undefined;
  partnerScope?: string | null | undefined;
  limit: number;
  offset: number;
}

/** People of the mirror, the newest first: everybody for internal staff, their own partner's for a partner's. */
export async function listUsers(
  context: SessionContext,
  { q, platformRole, partnerScope, limit, offset }: UserFilters,
): Promise<Slice<UserRow>> {
  const { prisma } = context.env;
  assertScopeFilter(partnerScope);
  const own = await readablePartner(context);
  if (own !== null && partnerScope != null && partnerScope !== own) throw forbidden('other_partner');
  if (partnerScope != null && partnerScope !== internalScope && !(await findPartner(prisma, partnerScope)))
    throw notFound('partner_not_found');
  const where: Prisma.IamUserWhereInput = {
    deletedAt: null,
    ...scopeOf(own ?? partnerScope ?? null),
    ...(platformRole != null && { platformRoles: { has: platformRole } }),
    ...(q != null &&
      q !== '' && {
        OR: [
          { emailLower: { contains: literal(q.toLowerCase()) } },
          { idpUserId: { contains: literal(q), mode: 'insensitive' } },
        ],
      }),
  };
  const [rows, total] = await Promise.all([
    prisma.iamUser.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { idpUserId: 'desc' }],
      take: limit,
      skip: offset,
    }),
    prisma.iamUser.count({ where }),
  ]);
  return { rows, total, limit, offset };
}

/** One person by e-mail or id; somebody outside the caller's reach is not found. */
export async function findUser(
  context: SessionContext,
  { email, idpUserId }: { email?: string | null | undefined; idpUserId?: string | null | undefined },
): Promise<{ found: boolean; user: UserRow | null }> {
  if ((email == null) === (idpUserId == null))
    throw invalid(
      email == null ? 'email' : 'idpUserId',
      'must be named, or the other of email and idpUserId, and not both',
    );
  const own = await readablePartner(context);
  const who = email != null ? { emailLower: email.toLowerCase() } : { idpUserId: idpUserId ?? '' };
  const user = await context.env.prisma.iamUser.findFirst({
    where: { ...who, deletedAt: null, ...(own !== null && { whitelabelOwnership: own }) },
    orderBy: { createdAt: 'desc' },
  });
  return { found: user !== null, user };
}

/** The partner the caller's view ends at; null for those who see everybody. */
async function readablePartner(context: SessionContext): Promise<string | null> {
  const scope = readableScope(context.caller, await callersPartner(context.env.prisma, context));
  if (!scope.ok) throw forbidden(scope.reason);
  return scope.partnerSlug;
}

/** Unscoped staff are those with at least one role; somebody without any is nobody's. */
function scopeOf(scope: string | null): Prisma.IamUserWhereInput {
  if (scope === null) return {};
  return scope === internalScope
    ? { whitelabelOwnership: null, NOT: { platformRoles: { isEmpty: true } } }
    : { whitelabelOwnership: scope };
}

function assertScopeFilter(scope: string | null | undefined): void {
  if (scope == null || scope === internalScope || /^[a-z0-9-]{3,40}$/.test(scope)) return;
  throw invalid('partnerScope', `must be a partner's slug (3 to 40 characters of a-z, 0-9 and -) or ${internalScope}`);
}

/** Prisma hands the text to LIKE, where these three mean something. */
export function literal(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
