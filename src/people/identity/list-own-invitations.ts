import type { Services } from '../../services.ts';
import { isExpired } from '../iam/public.ts';

/** The invitations of a user that were never accepted, by the e-mail address the provider has verified. */
export interface OwnInvitations {
  /** The partners whose invitation can be accepted. */
  open: { slug: string; name: string }[];
  /** Whether there was one that was revoked or whose time is over. */
  hasClosed: boolean;
}

export async function listOwnInvitations({ prisma, clock }: Services, userId: string): Promise<OwnInvitations> {
  const user = await prisma.iamUser.findFirst({ where: { idpUserId: userId, emailVerified: true, deletedAt: null } });
  if (!user) return { open: [], hasClosed: false };
  const invited = await prisma.partnerMembership.findMany({
    where: { emailLower: user.emailLower, joinedAt: null },
    select: { status: true, invitedAt: true, partner: { select: { slug: true, name: true } } },
    orderBy: { invitedAt: 'desc' },
  });
  const now = clock.now();
  const open = invited.filter((invitation) => invitation.status === 'pending' && !isExpired(invitation, now));
  return { open: open.map(({ partner }) => partner), hasClosed: invited.length > open.length };
}
