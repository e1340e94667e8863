import type { SessionCaller } from '../../auth/caller.ts';
import { Conflict, Forbidden, NotFound } from '../../kit/errors.ts';
import type { IdpUser } from '../../ports/identity-provider.ts';
import { assertMayJoin, type JoinContext, joinRoster } from '../iam/public.ts';

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
      'membership_not_active: the invitation was revoked while it was being accepted.',
    );
  // An open invitation at the provider would prevent a later one of the same e-mail address.
  if (pending.invitationId !== null) await identityProvider.revokeInvitation(pending.invitationId);
  return (await identityProvider.getUser(user.id)) ?? user;
}
