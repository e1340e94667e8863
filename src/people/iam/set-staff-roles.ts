import type { SessionContext } from '../../graph/context.ts';
import { runChangeAtProvider } from './audited-change.ts';
import { putOnRoster } from './membership-rows.ts';
import { canHoldRoles, canTakeAccess } from './policy.ts';
import { assertAllowed, conflict, notAssignable } from './refusals.ts';
import { authorizeStaffAction, lockStaffMember } from './roster-staff.ts';
import { assertOneTarget, isSelf, type StaffTarget, targetName } from './staff-target.ts';
import type { UserRoles } from './types.ts';
import { setAccess } from './user-access.ts';

/**
 * Replaces the roles of an active member of staff. Added roles must be assignable to staff of a partner; roles the
 * member already has may stay or be removed.
 */
export function setStaffRoles(
  context: SessionContext,
  partnerSlug: string,
  input: StaffTarget & { roles: readonly string[] },
): Promise<UserRoles> {
  assertOneTarget(input);
  const roles = [...new Set(input.roles)];
  const action = 'setStaffRoles';
  return runChangeAtProvider(context, { action, target: targetName(partnerSlug, input) }, async (change) => {
    const self = await isSelf(change.tx, context, input);
    const partner = await authorizeStaffAction(change, context, partnerSlug, 'set-roles', self);
    const { membership, user } = await lockStaffMember(change, context, partner, input);
    const isMember = user?.whitelabelOwnership === partnerSlug;
    const present = isMember ? user.platformRoles : (membership?.roles ?? []);
    assertAllowed(canHoldRoles(partnerSlug, present, roles), notAssignable);
    assertAllowed(canTakeAccess(partner), conflict);
    if (!isMember || (membership !== null && membership.status !== 'active')) throw conflict('membership_not_active');
    const changed = await setAccess(change, context.services, user, {
      platformRoles: roles,
      whitelabelOwnership: partnerSlug,
    });
    await putOnRoster(change, context, partner, membership, changed);
    change.audit({
      action,
      target: user.id,
      before: { platformRoles: user.platformRoles },
      after: { platformRoles: changed.platformRoles },
    });
    return { userId: user.id, platformRoles: [...changed.platformRoles] };
  });
}
