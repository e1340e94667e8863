import type { Partner } from '../generated/prisma/client.ts';
import type { SessionContext } from '../graph/context.ts';
import type { IdpUser } from '../ports/identity-provider.ts';
import { invalid } from '../kit/errors.ts';
import { act, type Act } from './act.ts';
import { putOnRoster } from './invite-staff.ts';
import { assertSuperadminStays, isOrgOwner, lockPersonById, setAccess } from './people.ts';
import { canAdministerPlatform, canChangeAccessOf, canHoldRoles, rolesInScope } from './policy.ts';
import { assertAllowed, conflict, notAssignable, notFound } from './refusals.ts';
import { revokedState } from './revoke-staff.ts';
import { findMembership } from './roster.ts';
import type { AccessOfUser } from './set-staff-roles.ts';

/** Rewrites the roles of somebody who belongs to no partner. */
export function setInternalUserRoles(
  context: SessionContext,
  input: { userId: string; roles: readonly string[] },
): Promise<AccessOfUser> {
  const roles = [...new Set(input.roles)];
  const action = 'setInternalUserRoles';
  return act(context, { action, target: input.userId }, async (change) => {
    assertSuperadminActsOnOther(context, input.userId);
    const user = await lockPersonById(change, context.env, input.userId);
    if (!user) throw notFound('target_not_found');
    assertAllowed(canHoldRoles(null, user.platformRoles, roles), notAssignable);
    if (user.whitelabelOwnership !== null) throw conflict('target_in_other_partner');
    if (await isOrgOwner(change.tx, user.id)) throw conflict('target_is_org_owner');
    if (!roles.includes('superadmin')) await assertSuperadminStays(change, user);
    const changed = await setAccess(change, context.env, user, { platformRoles: roles, whitelabelOwnership: null });
    change.audit({ action, target: user.id, before: accessObject(user), after: accessObject(changed) });
    return { userId: user.id, platformRoles: [...changed.platformRoles] };
  });
}

export interface ScopeOfUser {
  userId: string;
  whitelabelOwnership: string | null;
}

/** Puts somebody under a partner, moves them to another, or detaches them. Roles that are only a partner's go with the scope. */
export async function setUserPartnerScope(
  context: SessionContext,
  input: { userId: string; partnerSlug?: string | null | undefined },
): Promise<ScopeOfUser> {
  const { userId, partnerSlug } = input;
  if (partnerSlug === undefined) throw invalid('partnerSlug', 'is required: a slug, or null to detach');
  const action = 'setUserPartnerScope';
  return act(context, { action, target: userId }, async (change) => {
    assertSuperadminActsOnOther(context, userId);
    const partner = partnerSlug === null ? null : await sharedPartner(change, partnerSlug);
    const user = await lockPersonById(change, context.env, userId);
    if (!user) throw notFound('target_not_found');
    if (partner?.status === 'offboarded') throw conflict('partner_offboarded');
    if (partner) await assertSuperadminStays(change, user);
    if (user.whitelabelOwnership !== partnerSlug) await leavePresentPartner(change, user);
    const changed = await setAccess(change, context.env, user, {
      platformRoles: rolesInScope(user.platformRoles, partnerSlug),
      whitelabelOwnership: partnerSlug,
    });
    if (partner)
      await putOnRoster(
        change,
        context,
        partner,
        await findMembership(change.tx, partner.id, user.email, user.id),
        changed,
      );
    change.audit({ action, target: user.id, before: accessObject(user), after: accessObject(changed) });
    return { userId, whitelabelOwnership: changed.whitelabelOwnership };
  });
}

function assertSuperadminActsOnOther({ caller }: SessionContext, userId: string): void {
  assertAllowed(canAdministerPlatform(caller));
  assertAllowed(canChangeAccessOf(caller, userId));
}

/** The partner, whose archiving waits until this change is done. */
async function sharedPartner({ tx }: Act, slug: string): Promise<Partner> {
  await tx.$queryRaw`SELECT id FROM partners WHERE slug = ${slug} FOR SHARE`;
  const partner = await tx.partner.findUnique({ where: { slug } });
  if (!partner) throw notFound('partner_not_found');
  return partner;
}

async function leavePresentPartner({ tx, now }: Act, user: IdpUser): Promise<void> {
  if (user.whitelabelOwnership === null) return;
  await tx.partnerMembership.updateMany({
    where: { userId: user.id, status: 'active', partner: { slug: user.whitelabelOwnership } },
    data: revokedState(now),
  });
}

function accessObject({ platformRoles, whitelabelOwnership }: IdpUser): object {
  return { platformRoles, whitelabelOwnership };
}
