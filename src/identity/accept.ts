import { assertMayJoin, type JoinContext, joinRoster } from '../iam/operations.ts';
import type { Acceptance, EmbeddedIdp, OpenInvitation } from '../idp/embedded-idp.ts';
import { Conflict, Forbidden, Gone, invalid, NotAuthorized } from '../kit/errors.ts';
import type { IdpUser } from '../ports/identity-provider.ts';

/** What the page, or a script, sends to accept. */
export interface AcceptRequest {
  ticket: string;
  /** For a new account; who has one is signed in instead. */
  password: string | null;
  signedInAs: string | null;
}

/**
 * Accepts an invitation on the embedded provider's page. Whether it still stands is asked before the ticket is used up. The
 * provider applies an invitation to a new account only; to somebody it knows already, we give roles and scope.
 */
export async function acceptInvitation(
  context: JoinContext,
  idp: EmbeddedIdp,
  { ticket, password, signedInAs }: AcceptRequest,
): Promise<{ user: IdpUser; redirectUrl: string; isNew: boolean }> {
  const invitation = await idp.findOpenInvitation(ticket);
  if (!invitation) throw await whyClosed(context, idp, ticket);
  const isNew = !invitation.hasAccount;
  if (!isNew && signedInAs === null) throw signInFirst();
  if (isNew && password === null) throw invalid('password', 'is required: nobody has an account under this e-mail yet');
  const partnerSlug = await partnerOf(context, invitation);
  if (partnerSlug !== null) await assertStillStands(context, idp, invitation, partnerSlug);
  const acceptance = isNew
    ? await idp.acceptWithPassword(ticket, password ?? '')
    : await idp.acceptSignedIn(ticket, signedInAs ?? '');
  if (acceptance.outcome === 'closed') throw await whyClosed(context, idp, ticket);
  const user = userOf(acceptance);
  if (partnerSlug !== null) {
    // The message of a new account does the same, and may be with another process; done twice it changes nothing.
    await joinRoster(context, user, partnerSlug, 'page');
    await assertJoined(context, user, partnerSlug);
  }
  return { user: (await idp.getUser(user.id)) ?? user, redirectUrl: invitation.redirectUrl, isNew };
}

/** The partner an invitation is to; internal staff are invited without one. */
async function partnerOf({ env }: JoinContext, { id }: OpenInvitation): Promise<string | null> {
  const membership = await env.prisma.partnerMembership.findFirst({
    where: { invitationId: id, status: 'pending' },
    select: { partner: { select: { slug: true } } },
  });
  return membership?.partner.slug ?? null;
}

async function assertStillStands(
  context: JoinContext,
  idp: EmbeddedIdp,
  { id, email }: OpenInvitation,
  partnerSlug: string,
): Promise<void> {
  try {
    await assertMayJoin(context, { email, partnerSlug }, await idp.findUserByEmail(email));
  } catch (error) {
    // The link must not go on being good for something that will never be.
    if (error instanceof Conflict) await idp.revokeInvitation(id);
    throw error;
  }
}

/** The partner may have been archived while the ticket was being used up. */
async function assertJoined({ env }: JoinContext, { email }: IdpUser, slug: string): Promise<void> {
  const active = await env.prisma.partnerMembership.findFirst({
    where: { emailLower: email.toLowerCase(), status: 'active', partner: { slug } },
  });
  if (!active)
    throw new Conflict(
      'membership_not_active',
      'membership_not_active: the invitation was taken back while it was being accepted.',
    );
}

/** Archiving a partner takes its open invitations back: who follows such a link is told that, and not that the link is too old. */
async function whyClosed(context: JoinContext, idp: EmbeddedIdp, ticket: string): Promise<Gone> {
  const revoked = await idp.findRevokedInvitation(ticket);
  if (revoked && revoked.partnerSlug !== null)
    await assertMayJoin(context, { email: revoked.email, partnerSlug: revoked.partnerSlug }, null);
  return new Gone('This invitation was used or revoked, or its time is over: ask for a new one.');
}

function userOf(acceptance: Exclude<Acceptance, { outcome: 'closed' }>): IdpUser {
  if (acceptance.outcome === 'accepted') return acceptance.user;
  if (acceptance.outcome === 'other_user')
    throw new Forbidden('forbidden_scope', 'The invitation is for another e-mail than the one you are signed in with.');
  throw signInFirst();
}

function signInFirst(): NotAuthorized {
  return new NotAuthorized('There is an account under this e-mail already: sign in with it, and open the link again.');
}
