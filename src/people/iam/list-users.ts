import type { Prisma } from '../../generated/prisma/client.ts';
import type { SessionContext } from '../../graph/context.ts';
import { invalid } from '../../kit/errors.ts';
import { findPartnerFacts } from './partner-facts.ts';
import { forbidden, notFound } from './refusals.ts';
import type { Slice, UserRow } from './types.ts';
import { escapeLike, readablePartner } from './user-rows.ts';

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
  const { prisma } = context.services;
  assertScopeFilter(partnerScope);
  const own = await readablePartner(context);
  if (own !== null && partnerScope != null && partnerScope !== own) throw forbidden('other_partner');
  if (partnerScope != null && partnerScope !== internalScope && !(await findPartnerFacts(prisma, partnerScope)))
    throw notFound('partner_not_found');
  const where: Prisma.IamUserWhereInput = {
    deletedAt: null,
    ...scopeCondition(own ?? partnerScope ?? null),
    ...(platformRole != null && { platformRoles: { has: platformRole } }),
    ...(q != null && q !== '' && searchCondition(q)),
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

function assertScopeFilter(scope: string | null | undefined): void {
  if (scope == null || scope === internalScope || /^[a-z0-9-]{3,40}$/.test(scope)) return;
  throw invalid('partnerScope', `must be a partner's slug (3 to 40 characters of a-z, 0-9 and -) or ${internalScope}`);
}

/** Internal staff have at least one role and no partner; a user without any role is no staff. */
function scopeCondition(scope: string | null): Prisma.IamUserWhereInput {
  if (scope === null) return {};
  return scope === internalScope
    ? { whitelabelOwnership: null, NOT: { platformRoles: { isEmpty: true } } }
    : { whitelabelOwnership: scope };
}

function searchCondition(text: string): Prisma.IamUserWhereInput {
  return {
    OR: [
      { emailLower: { contains: escapeLike(text.toLowerCase()) } },
      { idpUserId: { contains: escapeLike(text), mode: 'insensitive' } },
    ],
  };
}
