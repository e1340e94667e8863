import type { Services } from '../../services.ts';
import { isExpired } from '../iam/public.ts';
import { type InvitationView, invitationFields, invitationViewOf } from './invitation-view.ts';

/** The invitations of a user that were never accepted, by the e-mail address the provider has verified. */
export interface OwnInvitations {
  /** The partners whose invitation can be accepted. */
  open: (InvitationView & { slug: string })[];
  /** Whether there was one that was revoked or whose time is over. */
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
  const now = clock.passed();
  const open = invited.filter((invitation) => invitation.status === 'pending' && !isExpired(invitation, now));
  return {
    open: await Promise.all(
      open.map(async (each) => ({ slug: each.partner.slug, ...(await invitationViewOf(services, each)) })),
    ),
    hasClosed: invited.length > open.length,
  };
}
