import type { Partner, PartnerMembership } from '../../generated/prisma/client.ts';
import type { SessionContext } from '../../graph/context.ts';
import { type AuditedChange, runChangeAtProvider } from './audited-change.ts';
import { membershipObject } from './membership-rows.ts';
import type { StaffAction } from './policy.ts';
import { authorizeStaffAction, lockStaffMember, type StaffMember } from './roster-staff.ts';
import { assertOneTarget, isSelf, type StaffTarget, targetName } from './staff-target.ts';
import { setAccess } from './user-access.ts';

/** Removes a user from a roster. `endMembership` returns the row that is left, or null. */
export function leaveRoster(
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
