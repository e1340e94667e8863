import type { OpenInvitation } from '../../ports/identity-provider.ts';
import type { Services } from '../../services.ts';
import { type Brand, brandOf } from '../../theme/brand.ts';
import { isExpired } from '../staff/end-invitation.ts';

/** The content of an invitation for its page. */
export interface InvitationView {
  /** The partner's; null for internal staff. */
  brand: Brand | null;
  roles: readonly string[];
  /** The email of a colleague at the partner. Null for an invitation by the platform's own staff. */
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

const invitationFields = {
  roles: true,
  invitedBy: true,
  partner: { select: { id: true, slug: true, name: true, branding: true } },
} as const;

interface Invited {
  roles: string[];
  invitedBy: string | null;
  partner: { id: string; slug: string; name: string; branding: unknown };
}

async function invitationViewOf(
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

/** The open and closed invitations of a user, by the email address that the provider has verified. */
export interface OwnInvitations {
  /** The partners whose invitation can be accepted. */
  open: (InvitationView & { slug: string })[];
  /** Whether there was one that was revoked or has expired. */
  hasClosed: boolean;
}

export async function listOwnInvitations(services: Services, userId: string): Promise<OwnInvitations> {
  const { prisma, clock } = services;
  const user = await prisma.iamUser.findFirst({ where: { idpUserId: userId, emailVerified: true, deletedAt: null } });
  if (!user) return { open: [], hasClosed: false };
  const invited = await prisma.partnerMembership.findMany({
    where: { emailLower: user.emailLower, joinedAt: null },
    select: { status: true, invitedAt: true, ...invitationFields },
    orderBy: { invitedAt: 'desc' },
  });
  const now = clock.earliest();
  const open = invited.filter((invitation) => invitation.status === 'pending' && !isExpired(invitation, now));
  return {
    open: await Promise.all(
      open.map(async (each) => ({ slug: each.partner.slug, ...(await invitationViewOf(services, each)) })),
    ),
    hasClosed: invited.length > open.length,
  };
}
