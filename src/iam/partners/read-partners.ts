import { assertAllowed, notFound } from '../../auth/decisions.ts';
import type { SessionContext } from '../../call/context.ts';
import { queryRows, sql } from '../../database/sql.ts';
import type { Partner, PartnerMembership, PrismaClient } from '../../generated/prisma/client.ts';
import { canReadPartners } from '../policy.ts';
import { assertOneName, type PartnerName } from './partner-rows.ts';
import type { PartnerSummary, WholeList } from './types.ts';

/** One partner by id or slug. */
export async function readPartner({ services, caller }: SessionContext, name: PartnerName): Promise<Partner> {
  assertOneName(name);
  assertAllowed(canReadPartners(caller));
  const where = name.slug == null ? { id: name.id ?? '' } : { slug: name.slug };
  const partner = await services.prisma.partner.findUnique({ where });
  if (!partner) throw notFound('partner_not_found');
  return partner;
}

/** The partner of a slug, for commands; null if there is none. */
export async function findPartner(
  { services }: { services: { prisma: PrismaClient } },
  slug: string,
): Promise<Partner | null> {
  return services.prisma.partner.findUnique({ where: { slug } });
}

/** All partners, newest first, with the number of their staff, accounts and organizations. */
export async function listPartners(
  { services, caller }: SessionContext,
  status: readonly string[] | null | undefined,
): Promise<WholeList<PartnerSummary>> {
  assertAllowed(canReadPartners(caller));
  const statuses = status == null ? null : [...status];
  const rows = await queryRows<PartnerSummary>(
    services.pool,
    sql`
      SELECT
        p.id, p.slug, p.name, p.status, p."createdAt",
        (
          SELECT count(*)
          FROM partner_memberships m
          WHERE m."partnerId" = p.id AND m.status = 'active'
        ) AS "staffCount",
        (SELECT count(*) FROM processing_accounts a WHERE a."partnerId" = p.id) AS "merchantCount",
        (SELECT count(*) FROM organizations o WHERE o."partnerId" = p.id) AS "orgCount"
      FROM partners p
      WHERE ${statuses}::text[] IS NULL OR p.status = ANY(${statuses}::text[])
      ORDER BY p."createdAt" DESC, p.id DESC`,
  );
  return { rows, total: rows.length };
}

/** The whole roster of a partner: pending, active and revoked memberships, latest invitation first. */
export async function listPartnerStaff(
  context: SessionContext,
  { status, ...name }: PartnerName & { status?: readonly string[] | null | undefined },
): Promise<WholeList<PartnerMembership>> {
  const partner = await readPartner(context, name);
  const rows = await context.services.prisma.partnerMembership.findMany({
    where: { partnerId: partner.id, ...(status != null && { status: { in: [...status] } }) },
    orderBy: [{ invitedAt: 'desc' }, { id: 'desc' }],
  });
  return { rows, total: rows.length };
}
