import { assertAllowed, notFound } from '../../auth/decisions.ts';
import type { SessionContext } from '../../call/context.ts';
import type { Partner, Prisma } from '../../generated/prisma/client.ts';
import { invalid } from '../../lib/errors.ts';
import { canReadPartners } from '../policy.ts';
import type { Slice } from '../types.ts';
import { escapeLike } from '../users/list-users.ts';
import type { OrganizationRow } from './organization-types.ts';
import type { PartnerName } from './partner-rows.ts';
import { readPartner } from './read-partners.ts';

/** The requested part of a list of organizations. */
interface OrganizationPaging {
  kind?: string | null | undefined;
  limit: number;
  offset: number;
}

/** Organizations that match the conditions, newest first, each with its partner. */
async function readOrganizations(
  { services }: SessionContext,
  conditions: Prisma.OrganizationWhereInput,
  { kind, limit, offset }: OrganizationPaging,
): Promise<Slice<OrganizationRow>> {
  const where = { ...conditions, ...(kind != null && { kind }) };
  const [rows, total] = await Promise.all([
    services.prisma.organization.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { accountId: 'desc' }],
      take: limit,
      skip: offset,
      include: { partner: { select: { slug: true, name: true } } },
    }),
    services.prisma.organization.count({ where }),
  ]);
  return { rows, total, limit, offset };
}

/** The value of `partnerId` for organizations without a partner. */
const noPartner = '__none__';

export interface OrganizationFilters extends OrganizationPaging {
  q?: string | null | undefined;
  partnerId?: string | null | undefined;
  partnerSlug?: string | null | undefined;
}

/** All organizations, each with its partner. */
export async function listOrganizations(
  context: SessionContext,
  { q, partnerId, partnerSlug, ...paging }: OrganizationFilters,
): Promise<Slice<OrganizationRow>> {
  if (partnerId != null && partnerSlug != null) throw invalid('partnerSlug', 'cannot be combined with partnerId');
  assertAllowed(canReadPartners(context.caller));
  const partner = await findFilterPartner(context, { partnerId, partnerSlug });
  return readOrganizations(
    context,
    {
      ...(partner && { partnerId: partner.id }),
      ...(partnerId === noPartner && { partnerId: null }),
      ...(q != null && q !== '' && searchCondition(q)),
    },
    paging,
  );
}

/** The partner of the filter; null without one. */
async function findFilterPartner(
  { services }: SessionContext,
  { partnerId, partnerSlug }: Pick<OrganizationFilters, 'partnerId' | 'partnerSlug'>,
): Promise<Partner | null> {
  if (partnerSlug == null && (partnerId == null || partnerId === noPartner)) return null;
  const where = partnerSlug != null ? { slug: partnerSlug } : { id: partnerId ?? '' };
  const partner = await services.prisma.partner.findUnique({ where });
  if (!partner) throw notFound('partner_not_found');
  return partner;
}

function searchCondition(text: string): Prisma.OrganizationWhereInput {
  const match = { contains: escapeLike(text), mode: 'insensitive' } as const;
  return { OR: [{ name: match }, { slug: match }, { accountId: match }] };
}

/** The organizations tagged with one partner. */
export async function listPartnerOrganizations(
  context: SessionContext,
  { id, slug, ...paging }: PartnerName & OrganizationPaging,
): Promise<Slice<OrganizationRow>> {
  const partner = await readPartner(context, { id, slug });
  return readOrganizations(context, { partnerId: partner.id }, paging);
}
