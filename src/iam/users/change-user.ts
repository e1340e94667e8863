import { assertAllowed, conflict, notAssignable, notFound } from '../../auth/decisions.ts';
import type { SessionContext } from '../../call/context.ts';
import type { Partner } from '../../generated/prisma/client.ts';
import { Conflict, invalid } from '../../lib/errors.ts';
import type { IdpUser } from '../../ports/identity-provider.ts';
import { type AuditedChange, runChangeAtProvider } from '../audited-change.ts';
import { endSession } from '../identity/mirror.ts';
import { lockPartnerForShare } from '../partner-facts.ts';
import { canAdministerPlatform, canChangeAccessOf, canHoldRoles, canTakeAccess, rolesAfterMove } from '../policy.ts';
import { addToRoster, findMembership, revokeMemberships } from '../staff/membership-rows.ts';
import type { UserRoles, UserScope } from '../types.ts';
import { accessObject, assertSuperadminStays, isOrgOwner, lockUserById, setAccess } from './access.ts';

/** Attaches a user to a partner, moves them to another, or detaches them, which leaves them without a role. */
export async function setUserPartnerScope(
  context: SessionContext,
  input: { userId: string; partnerSlug?: string | null | undefined },
  reason: string | null,
): Promise<UserScope> {
  const { userId, partnerSlug } = input;
  if (partnerSlug === undefined) throw invalid('partnerSlug', 'is required: a slug, or null to detach');
  const action = 'setUserPartnerScope';
  return runChangeAtProvider(context, { action, target: userId, reason }, async (change) => {
    assertAllowed(canAdministerPlatform(context.caller));
    assertAllowed(canChangeAccessOf(context.caller, userId));
    const partner = partnerSlug === null ? null : await lockExistingPartner(change, partnerSlug);
    const user = await lockUserById(change, context.services, userId);
    if (!user) throw notFound('target_not_found');
    assertAllowed(canTakeAccess(partner), conflict);
    if (partner) await assertSuperadminStays(change, user);
    if (user.whitelabelOwnership !== partnerSlug) await leavePresentPartner(change, user);
    const changed = await setAccess(change, context.services, user, {
      platformRoles: rolesAfterMove(user.platformRoles, user.whitelabelOwnership, partnerSlug),
      whitelabelOwnership: partnerSlug,
    });
    if (partner) {
      const membership = await findMembership(change.tx, partner.id, user.email, user.id);
      await addToRoster(change, context, partner, membership, changed);
    }
    const [before, after] = [accessObject(user), accessObject(changed)];
    change.audit({ action, target: user.id, partnerId: partner?.id ?? null, before, after, reason });
    return { userId, whitelabelOwnership: changed.whitelabelOwnership };
  });
}

async function lockExistingPartner({ tx }: AuditedChange, slug: string): Promise<Partner> {
  const partner = await lockPartnerForShare(tx, { slug });
  if (!partner) throw notFound('partner_not_found');
  return partner;
}

async function leavePresentPartner(change: AuditedChange, user: IdpUser): Promise<void> {
  if (user.whitelabelOwnership === null) return;
  await revokeMemberships(change, { userId: user.id, status: 'active', partner: { slug: user.whitelabelOwnership } });
}

/** Replaces the roles of a user without a partner. */
export function setInternalUserRoles(
  context: SessionContext,
  input: { userId: string; roles: readonly string[] },
  reason: string | null,
): Promise<UserRoles> {
  const roles = [...new Set(input.roles)];
  const action = 'setInternalUserRoles';
  return runChangeAtProvider(context, { action, target: input.userId, reason }, async (change) => {
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
    change.audit({ action, target: user.id, before: accessObject(user), after: accessObject(changed), reason });
    return { userId: user.id, platformRoles: [...changed.platformRoles] };
  });
}

/**
 * Removes the lost second factor of a user, and ends their sessions. A superadmin who has lost their own needs another
 * superadmin: otherwise a stolen session could remove the factor.
 */
export function resetSecondFactor(
  context: SessionContext,
  { userId, reason }: { userId: string; reason: string },
): Promise<{ userId: string }> {
  const { services } = context;
  const action = 'resetSecondFactor';
  if (reason.trim() === '') throw invalid('reason', 'is required: why the second factor is removed');
  return runChangeAtProvider(context, { action, target: userId, reason: reason.trim() }, async ({ tx, now, audit }) => {
    assertAllowed(canAdministerPlatform(context.caller));
    assertAllowed(canChangeAccessOf(context.caller, userId));
    const provider = services.identityProvider;
    if (!provider.resetSecondFactor)
      throw new Conflict(
        'not_offered_by_provider',
        'The identity provider resets second factors in its own console (not_offered_by_provider).',
      );
    if (!(await provider.getUser(userId))) throw notFound('target_not_found');
    for (const { id } of await provider.listSessions(userId)) await endSession(tx, { sessionId: id, userId }, now);
    if (!(await provider.resetSecondFactor(userId))) throw conflict('no_second_factor');
    audit({ action, target: userId, reason: reason.trim() });
    return { userId };
  });
}
