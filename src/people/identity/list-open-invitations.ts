import type { Services } from '../../services.ts';

/** The partners whose invitation the user can accept, by the e-mail address the provider has verified. */
export async function listOpenInvitations(
  { prisma }: Services,
  userId: string,
): Promise<{ slug: string; name: string }[]> {
  const user = await prisma.iamUser.findFirst({ where: { idpUserId: userId, emailVerified: true, deletedAt: null } });
  if (!user) return [];
  const pending = await prisma.partnerMembership.findMany({
    where: { emailLower: user.emailLower, status: 'pending' },
    select: { partner: { select: { slug: true, name: true } } },
    orderBy: { invitedAt: 'desc' },
  });
  return pending.map(({ partner }) => partner);
}
