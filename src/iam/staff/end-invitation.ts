import type { PartnerMembership } from '../../generated/prisma/client.ts';
import { Gone } from '../../lib/errors.ts';
import type { Services } from '../../services.ts';
import type { AuditDraft } from '../../unit-of-work/records.ts';
import type { Write } from '../../unit-of-work/write.ts';
import { membershipObject, revokeMemberships } from './membership-rows.ts';

/** The reason for which an invitation ends without being revoked. */
export const expiredReason = 'invitation_expired';

/** Ends a pending invitation: its link at the provider, its membership, and a row in the audit log. */
export async function endInvitation(
  { identityProvider }: Pick<Services, 'identityProvider'>,
  { tx, now, audit }: Write,
  pending: PartnerMembership,
  ending: Pick<AuditDraft, 'action' | 'outcome' | 'reason'>,
): Promise<void> {
  if (pending.invitationId !== null) await identityProvider.revokeInvitation(pending.invitationId);
  const [ended = pending] = await revokeMemberships({ tx, now }, { id: pending.id });
  audit({
    ...ending,
    target: pending.id,
    partnerId: pending.partnerId,
    before: membershipObject(pending),
    after: membershipObject(ended),
  });
}

/** How long an invitation is valid, on every path. A provider's own link ends at the same time or earlier. */
const invitationLivesMs = 7 * 86_400_000;

/** Invitations sent at or before this time can no longer be accepted. */
export function expiredSince(now: Date): Date {
  return new Date(now.getTime() - invitationLivesMs);
}

/** Until when an invitation can be accepted. */
export function expiryOf({ invitedAt }: Pick<PartnerMembership, 'invitedAt'>): Date {
  return new Date(invitedAt.getTime() + invitationLivesMs);
}

export function isExpired({ invitedAt }: Pick<PartnerMembership, 'invitedAt'>, now: Date): boolean {
  return invitedAt <= expiredSince(now);
}

type Ending = Pick<PartnerMembership, 'status' | 'invitedAt' | 'joinedAt' | 'revokedAt'>;

/** Whether an invitation can be sent again: it is pending, or was not accepted in time. */
export function canBeResent({ status, invitedAt, joinedAt, revokedAt }: Ending): boolean {
  if (status === 'pending') return true;
  return status === 'revoked' && joinedAt === null && revokedAt !== null && isExpired({ invitedAt }, revokedAt);
}

export function closedInvitation(): Gone {
  return new Gone('The invitation was used, revoked or has expired. Ask for a new one.');
}
