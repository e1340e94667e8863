import type { Organization, Prisma } from '../generated/prisma/client.ts';
import type { SessionContext } from '../graph/context.ts';
import { assertAllowed, canReadPartners, literal, notFound, type Slice } from '../iam/operations.ts';
import { invalid } from '../kit/errors.ts';
import { type PartnerName, readPartner } from './read-partners.ts';

export interface OrganizationRow extends Organization {
  partner: { slug: string; name: string } | null;
}

interface Paging {
  kind?: string | null | undefined;
  limit: number;
  offset: number;
}

/** What `partnerId` says for the organizations of no partner. */
export const noPartner = '__none__';

/** The organizations tagged with one partner. */
export async function listPartnerOrganizations(
  context: SessionContext,
  { id, slug, ...paging }: PartnerName & Paging,
): Promise<Slice<OrganizationRow>> {
  const partner = await readPartner(context, { id, slug });
  return readOrganizations(context, { partnerId: partner.id }, paging);
}

export interface OrganizationFilters extends Paging {
  q?: string | null | undefined;
  partnerId?: string | null | undefined;
  partnerSlug?: string | null | undefined;
}

/** All organizations, flat, with the partner each belongs to. */
export async function listOrganizations(
  context: SessionContext,
  { q, partnerId, partnerSlug, ...paging }: OrganizationFilters,
): Promise<Slice<OrganizationRow>> {
  if (partnerId != null && partnerSlug != null)
    throw invalid('partnerSlug', 'must not stand beside partnerId: name one of the two');
  assertAllowed(canReadPartners(context.caller));
  const named =
    partnerSlug != null
      ? { slug: partnerSlug }
      : partnerId != null && partnerId !== noPartner
        ? { id: partnerId }
        : null;
  const partner = named && (await context.env.prisma.partner.findUnique({ where: named }));
  if (named && !partner) throw notFound('partner_not_found');
  const text = q == null || q === '' ? null : ({ contains: literal(q), mode: 'insensitive' } as const);
  return readOrganizations(
    context,
    {
      ...(partner && { partnerId: partner.id }),
      ...(partnerId === noPartner && { partnerId: null }),
      ...(text && { OR: [{ name: text }, { slug: text }, { accountId: text }] }),
    },
    paging,
  );
}

async function readOrganizations(
  { env }: SessionContext,
  conditions: Prisma.OrganizationWhereInput,
  { kind, limit, offset }: Paging,
): Promise<Slice<OrganizationRow>> {
  const where = { ...conditions, ...(kind != null && { kind }) };
  const [rows, total] = await Promise.all([
    env.prisma.organization.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { accountId: 'desc' }],
      take: limit,
      skip: offset,
      include: { partner: { select: { slug: true, name: true } } },
    }),
    env.prisma.organization.count({ where }),
  ]);
  return { rows, total, limit, offset };
}
