import type { Partner, PartnerMembership } from '../../generated/prisma/client.ts';
import type { SessionContext } from '../../graph/context.ts';
import { newId } from '../../kit/ids.ts';
import { type IdentityProvider, IdpError, type IdpInvitation } from '../../ports/identity-provider.ts';
import type { AuditedChange } from './audited-change.ts';
import { brandRedirect } from './branding.ts';
import { sendInvitation } from './invitation-mail.ts';
import { disclosableReason } from './policy.ts';
import { conflict } from './refusals.ts';

/** Replaces the invitation of a membership, or of a new one, by a fresh one. The link is mailed after commit. */
export async function invitePending(
  change: AuditedChange,
  context: SessionContext,
  partner: Partner,
  membership: PartnerMembership | null,
  email: string,
  roles: string[],
): Promise<PartnerMembership> {
  const { tx, now } = change;
  const { identityProvider, config } = context.services;
  // The provider cannot change an invitation, and allows one pending invitation for an e-mail address.
  if (membership?.invitationId != null) await identityProvider.revokeInvitation(membership.invitationId);
  const invitation = await inviteAtProvider(change, context, {
    email,
    access: { platformRoles: roles, whitelabelOwnership: partner.slug },
    redirectUrl: brandRedirect(partner.branding) ?? config.invitationRedirectUrl,
  });
  change.compensate(() => identityProvider.revokeInvitation(invitation.id));
  change.afterCommit(() => sendInvitation(context, partner, invitation));
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
  return tx.partnerMembership.create({ data: { id: newId('mem_', now), partnerId: partner.id, ...state } });
}

type NewInvitation = Parameters<IdentityProvider['invite']>[0];

/** Invites at the provider, a second time if an invitation without a membership was in the way. */
async function inviteAtProvider(
  change: AuditedChange,
  context: SessionContext,
  invitation: NewInvitation,
): Promise<IdpInvitation> {
  const { identityProvider } = context.services;
  const refuse = (error: unknown): never => {
    if (error instanceof IdpError && error.code === 'CONFLICT')
      throw conflict(disclosableReason(context.caller, 'target_in_other_partner'));
    // The provider does not accept every address, for example because of its domain.
    if (error instanceof IdpError && error.code === 'REJECTED') throw conflict('email_not_invitable');
    throw error;
  };
  return identityProvider.invite(invitation).catch(async (error: unknown) => {
    const isRetriable =
      error instanceof IdpError && error.code === 'CONFLICT' && (await revokeOrphan(change, context, invitation.email));
    return isRetriable ? identityProvider.invite(invitation).catch(refuse) : refuse(error);
  });
}

/**
 * Revokes an invitation at the provider that has no membership and whose link was never sent, as a crash or a lost
 * answer leaves it. The e-mail address is locked, so no other invitation of it is in progress. An invitation without a
 * partner belongs to the superadmin command.
 */
async function revokeOrphan({ tx }: AuditedChange, { services }: SessionContext, email: string): Promise<boolean> {
  const pending = await services.identityProvider.findPendingInvitation(email);
  if (!pending || pending.access.whitelabelOwnership === null) return false;
  if ((await tx.partnerMembership.count({ where: { invitationId: pending.id } })) > 0) return false;
  await services.identityProvider.revokeInvitation(pending.id);
  services.log.warn(
    { invitationId: pending.id },
    'An invitation without a membership was revoked at the identity provider.',
  );
  return true;
}
