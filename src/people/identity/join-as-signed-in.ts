import type { SessionCaller } from '../../auth/caller.ts';
import { Conflict, Forbidden, NotFound } from '../../kit/errors.ts';
import type { IdpUser } from '../../ports/identity-provider.ts';
import { assertMayJoin, closedInvitation, type JoinContext, joinRoster } from '../iam/public.ts';

/** Accepts an invitation with an existing account: the provider applies an invitation to new accounts only. */
export async function joinAsSignedIn(
  context: JoinContext,
  caller: SessionCaller,
  partnerSlug: string,
): Promise<IdpUser> {
  const { prisma, identityProvider } = context.services;
  if (caller.impersonatorId !== null)
    throw new Forbidden(
      'impersonated_session',
      'An impersonated session cannot change anything (impersonated_session).',
    );
  const user = await identityProvider.getUser(caller.userId);
  const invited = user?.emailVerified
    ? await prisma.partnerMembership.findFirst({
        where: { emailLower: user.email.toLowerCase(), joinedAt: null, partner: { slug: partnerSlug } },
        select: { id: true, status: true, invitationId: true },
      })
    : null;
  if (!user || !invited) throw new NotFound('There is no open invitation to this partner for you.');
  if (invited.status !== 'pending') throw closedInvitation();
  await assertMayJoin(context, { email: user.email, partnerSlug }, user);
  await joinRoster(context, user, partnerSlug, 'page');
  const { status } = (await prisma.partnerMembership.findUnique({ where: { id: invited.id } })) ?? {
    status: 'revoked',
  };
  if (status !== 'active')
    throw new Conflict(
      'membership_not_active',
      'membership_not_active: the invitation was revoked while it was being accepted.',
    );
  // An open invitation at the provider would prevent a later one of the same e-mail address.
  if (invited.invitationId !== null) await identityProvider.revokeInvitation(invited.invitationId);
  return (await identityProvider.getUser(user.id)) ?? user;
}
