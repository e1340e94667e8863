import { type Brand, brandOf } from '../../look/brand.ts';
import type { OpenInvitation } from '../../ports/invitation-tickets.ts';
import type { Services } from '../../services.ts';

/** What a person is invited to, as the page of the invitation says it. */
export interface InvitationView {
  /** The partner's; null for internal staff. */
  brand: Brand | null;
  roles: readonly string[];
  /** The e-mail of a colleague at the partner. Null for an invitation by the platform's own staff. */
  invitedBy: string | null;
}

export async function readInvitationView(
  services: Pick<Services, 'prisma'>,
  { id, platformRoles }: OpenInvitation,
): Promise<InvitationView> {
  const membership = await services.prisma.partnerMembership.findFirst({
    where: { invitationId: id, status: 'pending' },
    select: invitationFields,
  });
  return membership ? invitationViewOf(services, membership) : { brand: null, roles: platformRoles, invitedBy: null };
}

export const invitationFields = {
  roles: true,
  invitedBy: true,
  partner: { select: { id: true, slug: true, name: true, branding: true } },
} as const;

interface Invited {
  roles: string[];
  invitedBy: string | null;
  partner: { id: string; slug: string; name: string; branding: unknown };
}

export async function invitationViewOf(
  { prisma }: Pick<Services, 'prisma'>,
  { roles, invitedBy, partner }: Invited,
): Promise<InvitationView> {
  const colleague =
    invitedBy === null
      ? null
      : await prisma.iamUser.findFirst({
          where: { idpUserId: invitedBy, whitelabelOwnership: partner.slug, deletedAt: null },
          select: { email: true },
        });
  return { brand: brandOf(partner), roles, invitedBy: colleague?.email ?? null };
}
