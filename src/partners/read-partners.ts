import type { Partner, PartnerMembership } from '../generated/prisma/client.ts';
import type { SessionContext } from '../graph/context.ts';
import { invalid } from '../kit/errors.ts';
import { assertAllowed, canReadPartners, notFound } from '../iam/operations.ts';

/** How a request names a partner: one of the two. */
export interface PartnerName {
  id?: string | null | undefined;
  slug?: string | null | undefined;
}

export interface PartnerSummary extends Pick<Partner, 'id' | 'slug' | 'name' | 'status' | 'createdAt'> {
  staffCount: number;
  merchantCount: number;
  orgCount: number;
}

/** All partners with how many people, merchants and organizations they have, the newest first. */
export async function listPartners(
  context: SessionContext,
  status: readonly string[] | null | undefined,
): Promise<{ rows: PartnerSummary[]; total: number }> {
  assertAllowed(canReadPartners(context.caller));
  const { rows } = await context.env.pool.query<PartnerSummary>({
    name: 'list-partners',
    text: listStatement,
    values: [status ?? null],
  });
  return { rows, total: rows.length };
}

const listStatement = `SELECT p.id, p.slug, p.name, p.status, p."createdAt",
  (SELECT count(*) FROM partner_memberships m WHERE m."partnerId" = p.id AND m.status = 'active') AS "staffCount",
  (SELECT count(*) FROM processing_accounts a WHERE a."partnerId" = p.id) AS "merchantCount",
  (SELECT count(*) FROM organizations o WHERE o."partnerId" = p.id) AS "orgCount"
FROM partners p WHERE $1::text[] IS NULL OR p.status = ANY($1) ORDER BY p."createdAt" DESC, p.id DESC`;

export async function readPartner(context: SessionContext, name: PartnerName): Promise<Partner> {
  assertOneName(name);
  assertAllowed(canReadPartners(context.caller));
  return findNamedPartner(context, name);
}

/** The whole roster: pending, active and revoked, as it is kept here. */
export async function listPartnerStaff(
  context: SessionContext,
  { status, ...name }: PartnerName & { status?: readonly string[] | null | undefined },
): Promise<{ rows: PartnerMembership[]; total: number }> {
  const partner = await readPartner(context, name);
  const rows = await context.env.prisma.partnerMembership.findMany({
    where: { partnerId: partner.id, ...(status != null && { status: { in: [...status] } }) },
    orderBy: [{ invitedAt: 'desc' }, { id: 'desc' }],
  });
  return { rows, total: rows.length };
}

export function assertOneName({ id, slug }: PartnerName): void {
  if ((id == null) === (slug == null))
    throw invalid(id == null ? 'id' : 'slug', 'must be named, or the other of id and slug, and not both');
}

async function findNamedPartner({ env }: SessionContext, { id, slug }: PartnerName): Promise<Partner> {
  const partner = await env.prisma.partner.findUnique({ where: slug == null ? { id: id ?? '' } : { slug } });
  if (!partner) throw notFound('partner_not_found');
  return partner;
}
