import type { SessionContext } from '../../call/context.ts';
import type { Partner, PartnerMembership } from '../../generated/prisma/client.ts';
import { type AuditedChange, runChangeAtProvider } from '../audited-change.ts';
import type { StaffAction } from '../policy.ts';
import { setAccess } from '../users/access.ts';
import { deleteMembership, membershipObject, revokeMemberships } from './membership-rows.ts';
import {
  assertOneTarget,
  authorizeStaffAction,
  isSelf,
  lockStaffMember,
  type StaffMember,
  type StaffTarget,
  targetName,
} from './roster-staff.ts';

/** Removes a user from a roster. `endMembership` returns the remaining row, or null. */
function leaveRoster(
  context: SessionContext,
  { action, policyAction }: { action: string; policyAction: StaffAction },
  partnerSlug: string,
  target: StaffTarget,
  endMembership: (change: AuditedChange, member: StaffMember) => Promise<PartnerMembership | null>,
): Promise<void> {
  assertOneTarget(target);
  return runChangeAtProvider(context, { action, target: targetName(partnerSlug, target) }, async (change) => {
    const self = await isSelf(change.tx, context, target);
    const partner = await authorizeStaffAction(change, context, partnerSlug, policyAction, self);
    const member = await lockStaffMember(change, context, partner, target);
    await removeAccess(change, context, partner, member);
    const row = await endMembership(change, member);
    const { membership, user } = member;
    const before = {
      ...(membership && membershipObject(membership)),
      ...(user?.whitelabelOwnership === partnerSlug && {
        platformRoles: user.platformRoles,
        whitelabelOwnership: partnerSlug,
      }),
    };
    change.audit({
      action,
      target: membership?.id ?? user?.id ?? targetName(partnerSlug, target),
      partnerId: partner.id,
      before,
      after: row && membershipObject(row),
    });
  });
}

/** Removes roles and scope only if they are this partner's: the user may belong to another partner by now. */
async function removeAccess(
  change: AuditedChange,
  { services }: SessionContext,
  partner: Partner,
  { membership, user }: StaffMember,
): Promise<void> {
  if (membership?.invitationId != null) await services.identityProvider.revokeInvitation(membership.invitationId);
  if (user?.whitelabelOwnership === partner.slug)
    await setAccess(change, services, user, { platformRoles: [], whitelabelOwnership: null });
}

/** Removes the access of a member of staff, or a pending invitation, and deletes the membership. A repeat is 404. */
export async function deleteStaff(
  context: SessionContext,
  partnerSlug: string,
  target: StaffTarget,
): Promise<{ status: 'deleted' }> {
  const names = { action: 'deleteStaff', policyAction: 'delete' } as const;
  await leaveRoster(context, names, partnerSlug, target, async ({ tx }, { membership }) => {
    if (membership) await deleteMembership(tx, membership.id);
    return null;
  });
  return { status: 'deleted' };
}

/**
 * Removes the access of a member of staff, or a pending invitation, and keeps the membership as revoked. A repeat
 * returns the same answer. The account is not changed.
 */
export async function revokeStaff(
  context: SessionContext,
  partnerSlug: string,
  target: StaffTarget,
): Promise<{ status: 'revoked' }> {
  const names = { action: 'revokeStaff', policyAction: 'revoke' } as const;
  await leaveRoster(context, names, partnerSlug, target, async ({ tx, now }, { membership }) => {
    if (!membership || membership.status === 'revoked') return membership;
    const [revoked = membership] = await revokeMemberships({ tx, now }, { id: membership.id });
    return revoked;
  });
  return { status: 'revoked' };
}
