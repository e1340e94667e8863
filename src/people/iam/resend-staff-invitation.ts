import type { SessionContext } from '../../graph/context.ts';
import { type AuditedChange, runChangeAtProvider } from './audited-change.ts';
import { canBeResent } from './invitation-expiry.ts';
import { findMembership, membershipObject } from './membership-rows.ts';
import { invitePending } from './pending-invitation.ts';
import { canTakeAccess } from './policy.ts';
import { assertAllowed, conflict, notFound } from './refusals.ts';
import { authorizeStaffAction } from './roster-staff.ts';
import { assertOneTarget, isSelf, type StaffTarget, targetName } from './staff-target.ts';
import { lockEmail } from './user-locks.ts';

/** Replaces the link of an invitation that is pending or has expired. 404 for any other membership. */
export function resendStaffInvitation(
  context: SessionContext,
  partnerSlug: string,
  target: StaffTarget,
): Promise<{ status: 'invited' }> {
  assertOneTarget(target);
  const action = 'resendStaffInvitation';
  return runChangeAtProvider(context, { action, target: targetName(partnerSlug, target) }, async (change) => {
    const { tx } = change;
    const self = await isSelf(tx, context, target);
    const partner = await authorizeStaffAction(change, context, partnerSlug, 'resend-invitation', self);
    const named = await findNamed(change, partner.id, target);
    if (!named) throw notFound('target_not_found');
    await lockEmail(tx, named.email);
    const membership = await findMembership(tx, partner.id, named.email, undefined);
    if (!membership || !canBeResent(membership)) throw notFound('target_not_found');
    assertAllowed(canTakeAccess(partner), conflict);
    const row = await invitePending(change, context, partner, membership, membership.email, membership.roles);
    change.audit({ action, target: row.id, before: membershipObject(membership), after: membershipObject(row) });
    return { status: 'invited' } as const;
  });
}

async function findNamed(
  { tx }: AuditedChange,
  partnerId: string,
  { userId, email, membershipId }: StaffTarget,
): Promise<{ email: string } | null> {
  if (email != null) return { email };
  if (membershipId != null) return tx.partnerMembership.findFirst({ where: { id: membershipId, partnerId } });
  return tx.iamUser.findUnique({ where: { idpUserId: userId ?? '' } });
}
