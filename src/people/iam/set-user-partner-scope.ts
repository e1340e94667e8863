import type { Partner } from '../../generated/prisma/client.ts';
import type { SessionContext } from '../../graph/context.ts';
import { invalid } from '../../kit/errors.ts';
import type { IdpUser } from '../../ports/identity-provider.ts';
import { type AuditedChange, runChangeAtProvider } from './audited-change.ts';
import { findMembership, putOnRoster, revokedState } from './membership-rows.ts';
import { lockPartnerForShare } from './partner-facts.ts';
import { canAdministerPlatform, canChangeAccessOf, canTakeAccess, rolesAfterMove } from './policy.ts';
import { assertAllowed, conflict, notFound } from './refusals.ts';
import type { UserScope } from './types.ts';
import { accessObject, assertSuperadminStays, setAccess } from './user-access.ts';
import { lockUserById } from './user-locks.ts';

/** Attaches a user to a partner, moves them to another, or detaches them, which leaves them without a role. */
export async function setUserPartnerScope(
  context: SessionContext,
  input: { userId: string; partnerSlug?: string | null | undefined },
): Promise<UserScope> {
  const { userId, partnerSlug } = input;
  if (partnerSlug === undefined) throw invalid('partnerSlug', 'is required: a slug, or null to detach');
  const action = 'setUserPartnerScope';
  return runChangeAtProvider(context, { action, target: userId }, async (change) => {
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
      await putOnRoster(change, context, partner, membership, changed);
    }
    change.audit({ action, target: user.id, before: accessObject(user), after: accessObject(changed) });
    return { userId, whitelabelOwnership: changed.whitelabelOwnership };
  });
}

async function lockExistingPartner({ tx }: AuditedChange, slug: string): Promise<Partner> {
  const partner = await lockPartnerForShare(tx, { slug });
  if (!partner) throw notFound('partner_not_found');
  return partner;
}

async function leavePresentPartner({ tx, now }: AuditedChange, user: IdpUser): Promise<void> {
  if (user.whitelabelOwnership === null) return;
  await tx.partnerMembership.updateMany({
    where: { userId: user.id, status: 'active', partner: { slug: user.whitelabelOwnership } },
    data: revokedState(now),
  });
}
