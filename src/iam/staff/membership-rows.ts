import type { SessionContext } from '../../call/context.ts';
import type { Partner, PartnerMembership, Prisma } from '../../generated/prisma/client.ts';
import { newId } from '../../lib/ids.ts';
import type { IdpUser } from '../../ports/identity-provider.ts';
import type { Write } from '../../unit-of-work/write.ts';
import type { AuditedChange } from '../audited-change.ts';
import type { DirectoryReader } from '../partner-facts.ts';

/**
 * The membership of a user. It is looked up by account first, since the email address may have changed since the
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
  change: AuditedChange,
  context: SessionContext,
  partner: Partner,
  membership: PartnerMembership | null,
  user: IdpUser,
): Promise<PartnerMembership> {
  const { now } = change;
  if (membership?.invitationId != null)
    await context.services.identityProvider.revokeInvitation(membership.invitationId);
  return putMembership(change, partner.id, membership, {
    userId: user.id,
    email: user.email,
    emailLower: user.email.toLowerCase(),
    roles: [...user.platformRoles],
    status: 'active',
    invitationId: null,
    revokedAt: null,
    invitedAt: membership?.invitedAt ?? now,
    invitedBy: membership ? membership.invitedBy : context.caller.userId,
    joinedAt: membership?.status === 'active' ? membership.joinedAt : now,
  });
}

export function activate(
  tx: Prisma.TransactionClient,
  id: string,
  user: IdpUser,
  now: Date,
): Promise<PartnerMembership> {
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

/** Revokes memberships and returns them. */
export function revokeMemberships(
  { tx, now }: Pick<Write, 'tx' | 'now'>,
  where: Prisma.PartnerMembershipWhereInput,
): Promise<PartnerMembership[]> {
  return tx.partnerMembership.updateManyAndReturn({
    where,
    data: { status: 'revoked', invitationId: null, revokedAt: now },
  });
}

export async function deleteMembership(tx: Prisma.TransactionClient, id: string): Promise<void> {
  await tx.partnerMembership.delete({ where: { id } });
}

/** Stores the state of a membership, or of a new one. */
export function putMembership(
  { tx, now }: Pick<Write, 'tx' | 'now'>,
  partnerId: string,
  membership: PartnerMembership | null,
  state: Omit<Prisma.PartnerMembershipUncheckedCreateInput, 'id' | 'partnerId'>,
): Promise<PartnerMembership> {
  return membership
    ? tx.partnerMembership.update({ where: { id: membership.id }, data: state })
    : tx.partnerMembership.create({ data: { id: newId('mem_', now), partnerId, ...state } });
}

/** The membership as the audit log shows it. */
export function membershipObject({ emailLower: _emailLower, ...membership }: PartnerMembership): object {
  return membership;
}
