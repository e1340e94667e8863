import type { PartnerMembership } from '../../generated/prisma/client.ts';
import { Gone } from '../../kit/errors.ts';

/** How long an invitation is worth, on every path. A provider's own link ends at the same time or earlier. */
const invitationLivesMs = 7 * 86_400_000;

/** An invitation of this time, or an earlier one, can no longer be accepted. */
export function expiredSince(now: Date): Date {
  return new Date(now.getTime() - invitationLivesMs);
}

export function isExpired({ invitedAt }: Pick<PartnerMembership, 'invitedAt'>, now: Date): boolean {
  return invitedAt <= expiredSince(now);
}

type Ending = Pick<PartnerMembership, 'status' | 'invitedAt' | 'joinedAt' | 'revokedAt'>;

/** Whether an invitation can be sent again: it is pending, or nobody accepted it in time. */
export function canBeResent({ status, invitedAt, joinedAt, revokedAt }: Ending): boolean {
  if (status === 'pending') return true;
  return status === 'revoked' && joinedAt === null && revokedAt !== null && isExpired({ invitedAt }, revokedAt);
}

export function closedInvitation(): Gone {
  return new Gone('This invitation was used or revoked, or its seven days are over: ask for a new one.');
}
