import type { Partner, PartnerMembership } from '../generated/prisma/client.ts';
import type { SessionContext } from '../graph/context.ts';
import { invalid } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import { type IdentityProvider, IdpError, type IdpInvitation, type IdpUser } from '../ports/identity-provider.ts';
import { act, type Act } from './act.ts';
import { sendInvitation } from './invitations.ts';
import { isOrgOwner, lockPersonByEmail, setAccess, union } from './people.ts';
import { canBeInvited, canHoldRoles, tellable } from './policy.ts';
import { assertAllowed, conflict, notAssignable } from './refusals.ts';
import { findMembership, gate, isSelf, membershipObject } from './roster.ts';

export interface Invited {
  status: 'invited' | 'role_updated';
  membershipId: string;
}

/**
 * Brings somebody onto a partner's roster, idempotent on partner and e-mail: a teammate gets the roles added, anybody else an
 * invitation. Who is somebody elsewhere (another partner's, internal staff, a merchant) is refused, even to a superadmin.
 */
export function inviteStaff(
  context: SessionContext,
  partnerSlug: string,
  input: { email: string; roles: readonly string[] },
): Promise<Invited> {
  const email = input.email;
  const roles = [...new Set(input.roles)];
  if (roles.length === 0) throw invalid('roles', 'must have at least one role');
  return act(context, { action: 'inviteStaff', target: `${partnerSlug}/${email.toLowerCase()}` }, async (change) => {
    const partner = await gate(change, context, partnerSlug, 'invite', await isSelf(change.tx, context, { email }));
    const user = await lockPersonByEmail(change, context.env, email);
    const isMember = user?.whitelabelOwnership === partnerSlug;
    assertAllowed(canHoldRoles(partnerSlug, isMember ? user.platformRoles : [], roles), notAssignable);
    if (partner.status === 'offboarded') throw conflict('partner_offboarded');
    if (user) {
      const isOwner = user.whitelabelOwnership === null && (await isOrgOwner(change.tx, user.id));
      assertAllowed(canBeInvited({ ...user, isOrgOwner: isOwner }, partnerSlug), (reason) =>
        conflict(tellable(context.caller, reason)),
      );
    }
    const membership = await findMembership(change.tx, partner.id, email, isMember ? user.id : undefined);
    return isMember
      ? addRoles(change, context, partner, membership, user, roles)
      : inviteNew(change, context, partner, membership, email, roles);
  });
}

async function addRoles(
  change: Act,
  context: SessionContext,
  partner: Partner,
  membership: PartnerMembership | null,
  user: IdpUser,
  roles: readonly string[],
): Promise<Invited> {
  const added = roles.filter((role) => !user.platformRoles.includes(role));
  if (added.length === 0 && membership?.status === 'active') throw conflict('already_on_roster');
  const changed = await setAccess(change, context.env, user, {
    platformRoles: union(user.platformRoles, roles),
    whitelabelOwnership: partner.slug,
  });
  const row = await putOnRoster(change, context, partner, membership, changed);
  change.audit({
    action: 'inviteStaff',
    target: row.id,
    before: { platformRoles: user.platformRoles },
    after: membershipObject(row),
  });
  return { status: 'role_updated', membershipId: row.id };
}

/** The row of somebody who is scoped to the partner: active, whatever it was. */
export async function putOnRoster(
  change: Act,
  context: SessionContext,
  partner: Partner,
  membership: PartnerMembership | null,
  user: IdpUser,
): Promise<PartnerMembership> {
  const { tx, now } = change;
  const person = {
    userId: user.id,
    email: user.email,
    emailLower: user.email.toLowerCase(),
    roles: [...user.platformRoles],
    status: 'active',
    invitationId: null,
    revokedAt: null,
  };
  if (!membership)
    return tx.partnerMembership.create({
      data: {
        id: newId('membership', now),
        partnerId: partner.id,
        ...person,
        invitedAt: now,
        joinedAt: now,
        invitedBy: context.caller.userId,
      },
    });
  if (membership.invitationId !== null) await context.env.identityProvider.revokeInvitation(membership.invitationId);
  return tx.partnerMembership.update({
    where: { id: membership.id },
    data: { ...person, joinedAt: membership.status === 'active' ? membership.joinedAt : now },
  });
}

async function inviteNew(
  change: Act,
  context: SessionContext,
  partner: Partner,
  membership: PartnerMembership | null,
  email: string,
  requested: readonly string[],
): Promise<Invited> {
  const pending = membership?.status === 'pending' ? membership : null;
  const roles = union(pending?.roles ?? [], requested);
  if (pending && roles.length === pending.roles.length) {
    // A fresh link is what resend-invitation is for.
    change.audit({
      action: 'inviteStaff',
      target: pending.id,
      before: membershipObject(pending),
      after: membershipObject(pending),
    });
    return { status: 'invited', membershipId: pending.id };
  }
  const row = await invitePending(change, context, partner, membership, email, roles);
  change.audit({
    action: 'inviteStaff',
    target: row.id,
    before: membership && membershipObject(membership),
    after: membershipObject(row),
  });
  return { status: 'invited', membershipId: row.id };
}

/** A new invitation in place of what the row had; its link goes out when the change is there to stay. */
export async function invitePending(
  change: Act,
  context: SessionContext,
  partner: Partner,
  membership: PartnerMembership | null,
  email: string,
  roles: string[],
): Promise<PartnerMembership> {
  const { tx, now } = change;
  const { identityProvider, config } = context.env;
  // The provider cannot change an invitation, and has one for an e-mail at a time.
  if (membership?.invitationId != null) await identityProvider.revokeInvitation(membership.invitationId);
  const access = { platformRoles: roles, whitelabelOwnership: partner.slug };
  const invitation = await inviteAtProvider(change, context, {
    email,
    access,
    redirectUrl: config.invitationRedirectUrl,
  });
  change.undo(() => identityProvider.revokeInvitation(invitation.id));
  change.afterwards(() => sendInvitation(context.env, partner, invitation));
  const state = {
    email,
    emailLower: email.toLowerCase(),
    roles,
    status: 'pending',
    invitationId: invitation.id,
    invitedAt: now,
    joinedAt: null,
    revokedAt: null,
    userId: null,
    invitedBy: context.caller.userId,
  };
  if (membership) return tx.partnerMembership.update({ where: { id: membership.id }, data: state });
  return tx.partnerMembership.create({ data: { id: newId('membership', now), partnerId: partner.id, ...state } });
}

type NewInvitation = Parameters<IdentityProvider['invite']>[0];

/** One more try when what stands in the way is an invitation of ours that never became a row. */
async function inviteAtProvider(
  change: Act,
  context: SessionContext,
  invitation: NewInvitation,
): Promise<IdpInvitation> {
  const { identityProvider } = context.env;
  const tell = (error: unknown): never => {
    if (error instanceof IdpError && error.code === 'CONFLICT')
      throw conflict(tellable(context.caller, 'target_in_other_partner'));
    // The provider does not take every address: it may not like its domain.
    if (error instanceof IdpError && error.code === 'REJECTED') throw conflict('email_not_invitable');
    throw error;
  };
  return identityProvider.invite(invitation).catch(async (error: unknown) => {
    const isInTheWay =
      error instanceof IdpError && error.code === 'CONFLICT' && (await revokeOrphan(change, context, invitation.email));
    return isInTheWay ? identityProvider.invite(invitation).catch(tell) : tell(error);
  });
}

/**
 * A crash, or an answer that was lost, can leave an invitation at the provider that no row of ours knows, and whose link nobody has. The
 * e-mail is locked, so no other invitation of it is under way. One without a partner is of the command that makes superadmins.
 */
async function revokeOrphan({ tx }: Act, { env }: SessionContext, email: string): Promise<boolean> {
  const pending = await env.identityProvider.findPendingInvitation(email);
  if (!pending || pending.access.whitelabelOwnership === null) return false;
  if ((await tx.partnerMembership.count({ where: { invitationId: pending.id } })) > 0) return false;
  await env.identityProvider.revokeInvitation(pending.id);
  env.log.warn(
    { invitationId: pending.id },
    'An invitation that was never written down was taken back at the identity provider.',
  );
  return true;
}
