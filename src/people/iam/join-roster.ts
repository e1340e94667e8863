import type { PartnerMembership, Prisma } from '../../generated/prisma/client.ts';
import type { IdpUser } from '../../ports/identity-provider.ts';
import { write } from '../../write/write.ts';
import { upsertUser } from '../mirror/public.ts';
import { endInvitation, expiredReason } from './end-invitation.ts';
import { isExpired } from './invitation-expiry.ts';
import { type JoinContext, writerOf } from './join-context.ts';
import { membershipObject } from './membership-rows.ts';
import { lockPartnerForShare } from './partner-facts.ts';
import { askingProvider } from './provider-places.ts';
import { sameRoles, unionOf } from './user-access.ts';
import { lockEmail } from './user-locks.ts';

/** Where an invitation was accepted: on a page of the platform, or at the provider, which has applied the access. */
export type AcceptedAt = 'page' | 'provider';

/**
 * Makes the pending membership active, and sets roles and scope at the provider if they are missing there. Called by
 * the page for a user with an account, and by the provider's message for an account created from an invitation. A
 * second call changes nothing.
 */
export function joinRoster(
  context: JoinContext,
  user: IdpUser,
  partnerSlug: string,
  acceptedAt: AcceptedAt,
): Promise<void> {
  return askingProvider(context.services, partnerSlug, () => join(context, user, partnerSlug, acceptedAt));
}

function join(context: JoinContext, user: IdpUser, partnerSlug: string, acceptedAt: AcceptedAt): Promise<void> {
  const { identityProvider } = context.services;
  return write(writerOf(context, user), 'acceptInvitation', async (change) => {
    const { tx, now, audit } = change;
    await lockPartnerForShare(tx, { slug: partnerSlug });
    await lockEmail(tx, user.email);
    const membership = await tx.partnerMembership.findFirst({
      where: { partner: { slug: partnerSlug }, emailLower: user.email.toLowerCase() },
    });
    const present = await identityProvider.getUser(user.id);
    // Without a pending membership there is nothing to accept; a user of another scope is moved by no invitation.
    if (membership?.status !== 'pending' || !present || !canJoinPartner(present, partnerSlug)) return;
    // A late message may report an acceptance that was revoked since: the newer invitation is not accepted by it.
    if (acceptedAt === 'provider' && present.whitelabelOwnership !== partnerSlug) return;
    // A message may be late. What counts is when the account was created from the invitation.
    if (acceptedAt === 'provider' && isExpired(membership, present.createdAt)) {
      await upsertUser(tx, await identityProvider.setAccess(user.id, { platformRoles: [], whitelabelOwnership: null }));
      const ending = { action: 'acceptInvitation', outcome: 'failed', reason: expiredReason } as const;
      return endInvitation(context.services, change, membership, ending);
    }
    const isScoped = present.whitelabelOwnership === partnerSlug;
    const roles = isScoped ? unionOf(present.platformRoles, membership.roles) : membership.roles;
    const joined =
      isScoped && sameRoles(roles, present.platformRoles)
        ? present
        : await identityProvider.setAccess(user.id, { platformRoles: roles, whitelabelOwnership: partnerSlug });
    await upsertUser(tx, joined);
    const active = await activate(tx, membership.id, joined, now);
    audit({
      action: 'acceptInvitation',
      target: membership.id,
      before: membershipObject(membership),
      after: membershipObject(active),
    });
  });
}

function canJoinPartner({ whitelabelOwnership, platformRoles }: IdpUser, partnerSlug: string): boolean {
  return whitelabelOwnership === partnerSlug || (whitelabelOwnership === null && platformRoles.length === 0);
}

function activate(tx: Prisma.TransactionClient, id: string, user: IdpUser, now: Date): Promise<PartnerMembership> {
  return tx.partnerMembership.update({
    where: { id },
    data: {
      status: 'active',
      userId: user.id,
      roles: [...user.platformRoles],
      joinedAt: now,
      invitationId: null,
      revokedAt: null,
    },
  });
}
