import type { SessionCaller } from '../auth/caller.ts';
import type { Env } from '../env.ts';
import { assertMayJoin, type JoinContext, joinRoster } from '../iam/operations.ts';
import { Conflict, Forbidden, NotFound } from '../kit/errors.ts';
import type { IdpUser } from '../ports/identity-provider.ts';

/** The partners whose invitation somebody could accept now, by the address the provider has verified. */
export async function listOpenInvitations({ prisma }: Env, userId: string): Promise<{ slug: string; name: string }[]> {
  const user = await prisma.iamUser.findFirst({ where: { idpUserId: userId, emailVerified: true, deletedAt: null } });
  if (!user) return [];
  const pending = await prisma.partnerMembership.findMany({
    where: { emailLower: user.emailLower, status: 'pending' },
    select: { partner: { select: { slug: true, name: true } } },
    orderBy: { invitedAt: 'desc' },
  });
  return pending.map(({ partner }) => partner);
}

/** Accepts an invitation with an account one has had before it: the provider applies an invitation to new accounts only. */
export async function joinAsSignedIn(
  context: JoinContext,
  caller: SessionCaller,
  partnerSlug: string,
): Promise<IdpUser> {
  const { prisma, identityProvider } = context.env;
  if (caller.impersonatorId !== null)
    throw new Forbidden(
      'impersonated_session',
      "A session that looks through somebody else's eyes changes nothing (impersonated_session).",
    );
  const user = await identityProvider.getUser(caller.userId);
  const pending = user?.emailVerified
    ? await prisma.partnerMembership.findFirst({
        where: { emailLower: user.email.toLowerCase(), status: 'pending', partner: { slug: partnerSlug } },
        select: { id: true, invitationId: true },
      })
    : null;
  if (!user || !pending) throw new NotFound('There is no open invitation to this partner for you.');
  await assertMayJoin(context, { email: user.email, partnerSlug }, user);
  await joinRoster(context, user, partnerSlug, 'page');
  const { status } = (await prisma.partnerMembership.findUnique({ where: { id: pending.id } })) ?? {
    status: 'revoked',
  };
  if (status !== 'active')
    throw new Conflict(
      'membership_not_active',
      'membership_not_active: the invitation was taken back while it was being accepted.',
    );
  // Its link has nothing left to do, and would keep a later invitation of this e-mail away.
  if (pending.invitationId !== null) await identityProvider.revokeInvitation(pending.invitationId);
  return (await identityProvider.getUser(user.id)) ?? user;
}
