import type { SessionContext } from '../graph/context.ts';
import { act } from './act.ts';
import { putOnRoster } from './invite-staff.ts';
import { setAccess } from './people.ts';
import { canHoldRoles } from './policy.ts';
import { assertAllowed, conflict, notAssignable } from './refusals.ts';
import { assertOneTarget, gate, isSelf, lockTeammate, type StaffTarget } from './roster.ts';
import { targetName } from './revoke-staff.ts';

export interface AccessOfUser {
  userId: string;
  platformRoles: string[];
}

/** Rewrites the roles of an active teammate: what is added must be assignable to a partner's people; what is there may stay or go. */
export function setStaffRoles(
  context: SessionContext,
  partnerSlug: string,
  input: StaffTarget & { roles: readonly string[] },
): Promise<AccessOfUser> {
  assertOneTarget(input);
  const roles = [...new Set(input.roles)];
  const action = 'setStaffRoles';
  return act(context, { action, target: targetName(partnerSlug, input) }, async (change) => {
    const partner = await gate(change, context, partnerSlug, 'set-roles', await isSelf(change.tx, context, input));
    const { membership, user } = await lockTeammate(change, context, partner, input);
    const isMember = user?.whitelabelOwnership === partnerSlug;
    assertAllowed(
      canHoldRoles(partnerSlug, isMember ? user.platformRoles : (membership?.roles ?? []), roles),
      notAssignable,
    );
    if (partner.status === 'offboarded') throw conflict('partner_offboarded');
    if (!isMember || (membership !== null && membership.status !== 'active')) throw conflict('membership_not_active');
    const changed = await setAccess(change, context.env, user, {
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
