import type { PartnerMembership } from '../../generated/prisma/client.ts';
import type { SessionContext } from '../../graph/context.ts';
import type { PartnerName } from './partner-name.ts';
import { readPartner } from './read-partner.ts';
import type { WholeList } from './types.ts';

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
