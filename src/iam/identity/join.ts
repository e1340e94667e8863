import type { SessionCaller } from '../../auth/caller.ts';
import { Conflict, Forbidden, type Gone, invalid, NotAuthorized, NotFound } from '../../lib/errors.ts';
import type {
  Acceptance,
  IdentityProvider,
  IdpUser,
  InvitationTickets,
  OpenInvitation,
} from '../../ports/identity-provider.ts';
import { closedInvitation } from '../staff/end-invitation.ts';
import { assertMayJoin, type JoinContext, joinRoster } from '../staff/join-roster.ts';

type TicketProvider = IdentityProvider & InvitationTickets;

/** The request of the page, or of a script, to accept an invitation. */
export interface AcceptRequest {
  ticket: string;
  /** The password of the new account; null for a signed-in user. */
  password: string | null;
  signedInAs: string | null;
}

/**
 * Accepts an invitation on the embedded provider's page. The invitation is checked before its ticket is consumed. The
 * provider applies an invitation to a new account only; for an existing account the platform sets roles and scope.
 */
export async function acceptInvitation(
  context: JoinContext,
  idp: TicketProvider,
  { ticket, password, signedInAs }: AcceptRequest,
): Promise<{ user: IdpUser; redirectUrl: string; isNew: boolean }> {
  const invitation = await idp.findOpenInvitation(ticket);
  if (!invitation) throw await closedInvitationError(context, idp, ticket);
  const isNew = !invitation.hasAccount;
  if (!isNew && signedInAs === null) throw signInFirst();
  if (isNew && password === null) throw invalid('password', 'is required: no account with this email exists yet');
  const partnerSlug = await partnerOf(context, invitation);
  const { email } = invitation;
  if (partnerSlug !== null) await assertMayJoin(context, { email, partnerSlug }, await idp.findUserByEmail(email));
  const acceptance = isNew
    ? await idp.acceptWithPassword(ticket, password ?? '')
    : await idp.acceptSignedIn(ticket, signedInAs ?? '');
  if (acceptance.outcome === 'closed') throw await closedInvitationError(context, idp, ticket);
  const user = userOf(acceptance);
  if (partnerSlug !== null) {
    // The message about a new account does the same, possibly in another process; a second call changes nothing.
    await joinRoster(context, user, partnerSlug, 'page');
    await assertJoined(context, user, partnerSlug);
  }
  return { user: (await idp.getUser(user.id)) ?? user, redirectUrl: invitation.redirectUrl, isNew };
}

/** The slug of the partner of an invitation; null for internal staff. */
async function partnerOf({ services }: JoinContext, { id }: OpenInvitation): Promise<string | null> {
  const membership = await services.prisma.partnerMembership.findFirst({
    where: { invitationId: id, status: 'pending' },
    select: { partner: { select: { slug: true } } },
  });
  return membership?.partner.slug ?? null;
}

/** The partner may have been archived while the ticket was being consumed. */
async function assertJoined({ services }: JoinContext, { email }: IdpUser, slug: string): Promise<void> {
  const active = await services.prisma.partnerMembership.findFirst({
    where: { emailLower: email.toLowerCase(), status: 'active', partner: { slug } },
  });
  if (!active)
    throw new Conflict(
      'membership_not_active',
      'membership_not_active: the invitation was revoked while it was being accepted.',
    );
}

/**
 * The error for a closed invitation. Archiving a partner revokes its open invitations, which is the reason given then
 * instead of 410.
 */
async function closedInvitationError(context: JoinContext, idp: TicketProvider, ticket: string): Promise<Gone> {
  const revoked = await idp.findRevokedInvitation(ticket);
  if (revoked && revoked.partnerSlug !== null)
    await assertMayJoin(context, { email: revoked.email, partnerSlug: revoked.partnerSlug }, null);
  return closedInvitation();
}

function userOf(acceptance: Exclude<Acceptance, { outcome: 'closed' }>): IdpUser {
  if (acceptance.outcome === 'accepted') return acceptance.user;
  if (acceptance.outcome === 'other_user')
    throw new Forbidden('forbidden_scope', 'The invitation is for another email address than yours.');
  throw signInFirst();
}

function signInFirst(): NotAuthorized {
  return new NotAuthorized('An account with this email already exists: sign in, and open the link again.');
}

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
  if (!user || !invited) throw new NotFound('You have no open invitation to this partner.');
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
  // An open invitation at the provider would prevent a later one of the same email address.
  if (invited.invitationId !== null) await identityProvider.revokeInvitation(invited.invitationId);
  return (await identityProvider.getUser(user.id)) ?? user;
}
