import { assertAllowed } from '../../auth/decisions.ts';
import type { SessionContext } from '../../call/context.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { invalid } from '../../lib/errors.ts';
import { callersPartner } from '../partner-facts.ts';
import { canManagePartnerStaff } from '../policy.ts';
import { canBeResent } from './end-invitation.ts';

const listedMax = 500;

export type OpenInvitation = Prisma.PartnerMembershipGetPayload<{ include: { partner: true } }>;

/** Invitations that were not accepted and can be sent again, the latest first: those of a partner or of an address. */
export async function listInvitations(
  context: SessionContext,
  { partnerSlug, email }: { partnerSlug?: string | null | undefined; email?: string | null | undefined },
): Promise<OpenInvitation[]> {
  const { caller, services } = context;
  const slug = partnerSlug ?? caller.whitelabelOwnership;
  assertAllowed(canManagePartnerStaff(caller, slug ?? '', await callersPartner(services.prisma, context)));
  if (slug === null && email == null) throw invalid('partnerSlug', 'is required without email');
  const rows = await services.prisma.partnerMembership.findMany({
    where: {
      status: { in: ['pending', 'revoked'] },
      joinedAt: null,
      ...(slug !== null && { partner: { slug } }),
      ...(email != null && { emailLower: email.toLowerCase() }),
    },
    include: { partner: true },
    orderBy: [{ invitedAt: 'desc' }, { id: 'desc' }],
    take: listedMax,
  });
  return rows.filter(canBeResent);
}
