import type { SessionContext } from '../../../call/context.ts';
import type { Partner, PartnerMembership } from '../../../generated/prisma/client.ts';
import { newId } from '../../../lib/ids.ts';
import type { IdpUser } from '../../../ports/identity-provider.ts';
import type { AuditedChange } from '../audited-change.ts';
import type { DirectoryReader } from '../partner-facts.ts';

/**
 * The membership of a user. It is looked up by account first, since the e-mail address may have changed since the
 * invitation.
 */
export async function findMembership(
  db: DirectoryReader,
  partnerId: string,
  email: string,
  userId: string | undefined,
): Promise<PartnerMembership | null> {
  const byUser = userId === undefined ? null : await db.partnerMembership.findFirst({ where: { partnerId, userId } });
  return (
    byUser ??
    db.partnerMembership.findUnique({ where: { partnerId_emailLower: { partnerId, emailLower: email.toLowerCase() } } })
  );
}

/** Makes the membership of a user who has the partner's scope active, from any status. */
export async function addToRoster(
  { tx, now }: AuditedChange,
  context: SessionContext,
  partner: Partner,
  membership: PartnerMembership | null,
  user: IdpUser,
): Promise<PartnerMembership> {
  const state = {
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
        id: newId('mem_', now),
        partnerId: partner.id,
        ...state,
        invitedAt: now,
        joinedAt: now,
        invitedBy: context.caller.userId,
      },
    });
  if (membership.invitationId !== null)
    await context.services.identityProvider.revokeInvitation(membership.invitationId);
  return tx.partnerMembership.update({
    where: { id: membership.id },
    data: { ...state, joinedAt: membership.status === 'active' ? membership.joinedAt : now },
  });
}

/** The fields of a membership that a revocation changes. */
export function revokedState(now: Date): { status: string; invitationId: null; revokedAt: Date } {
  return { status: 'revoked', invitationId: null, revokedAt: now };
}

/** The membership as the audit log shows it. */
export function membershipObject({ emailLower: _emailLower, ...membership }: PartnerMembership): object {
  return membership;
}
