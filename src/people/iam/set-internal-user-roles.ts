import type { SessionContext } from '../../graph/context.ts';
import { runChangeAtProvider } from './audited-change.ts';
import { canAdministerPlatform, canChangeAccessOf, canHoldRoles } from './policy.ts';
import { assertAllowed, conflict, notAssignable, notFound } from './refusals.ts';
import type { UserRoles } from './types.ts';
import { accessObject, assertSuperadminStays, isOrgOwner, setAccess } from './user-access.ts';
import { lockUserById } from './user-locks.ts';

/** Replaces the roles of a user without a partner. */
export function setInternalUserRoles(
  context: SessionContext,
  input: { userId: string; roles: readonly string[] },
): Promise<UserRoles> {
  const roles = [...new Set(input.roles)];
  const action = 'setInternalUserRoles';
  return runChangeAtProvider(context, { action, target: input.userId }, async (change) => {
    assertAllowed(canAdministerPlatform(context.caller));
    assertAllowed(canChangeAccessOf(context.caller, input.userId));
    const user = await lockUserById(change, context.services, input.userId);
    if (!user) throw notFound('target_not_found');
    assertAllowed(canHoldRoles(null, user.platformRoles, roles), notAssignable);
    if (user.whitelabelOwnership !== null) throw conflict('target_in_other_partner');
    if (await isOrgOwner(change.tx, user.id)) throw conflict('target_is_org_owner');
    if (!roles.includes('superadmin')) await assertSuperadminStays(change, user);
    const changed = await setAccess(change, context.services, user, {
      platformRoles: roles,
      whitelabelOwnership: null,
    });
    change.audit({ action, target: user.id, before: accessObject(user), after: accessObject(changed) });
    return { userId: user.id, platformRoles: [...changed.platformRoles] };
  });
}
