import type { Partner, Prisma } from '../../generated/prisma/client.ts';
import type { SessionContext } from '../../graph/context.ts';
import { invalid } from '../../kit/errors.ts';
import { assertAllowed, canReadPartners, escapeLike, notFound, type Slice } from '../iam/public.ts';
import { type OrganizationPaging, readOrganizations } from './organization-rows.ts';
import type { OrganizationRow } from './organization-types.ts';

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
  if (partnerId != null && partnerSlug != null)
    throw invalid('partnerSlug', 'must not stand beside partnerId: name one of the two');
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
