import type { PartnerMembership } from '../../generated/prisma/client.ts';
import type { Services } from '../../services.ts';
import type { AuditDraft } from '../../write/records.ts';
import type { Write } from '../../write/write.ts';
import { membershipObject, revokedState } from './membership-rows.ts';

/** Why an invitation ends that nobody revoked. */
export const expiredReason = 'invitation_expired';

/** Ends a pending invitation: its link at the provider, its membership, and a row in the audit log. */
export async function endInvitation(
  { identityProvider }: Pick<Services, 'identityProvider'>,
  { tx, now, audit }: Write,
  pending: PartnerMembership,
  ending: Pick<AuditDraft, 'action' | 'outcome' | 'reason'>,
): Promise<void> {
  if (pending.invitationId !== null) await identityProvider.revokeInvitation(pending.invitationId);
  const ended = await tx.partnerMembership.update({ where: { id: pending.id }, data: revokedState(now) });
  audit({ ...ending, target: pending.id, before: membershipObject(pending), after: membershipObject(ended) });
}
