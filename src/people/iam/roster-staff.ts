import type { Partner, PartnerMembership } from '../../generated/prisma/client.ts';
import type { SessionContext } from '../../graph/context.ts';
import type { IdpUser } from '../../ports/identity-provider.ts';
import type { AuditedChange } from './audited-change.ts';
import { findMembership } from './membership-rows.ts';
import { callersPartner, lockPartnerForShare } from './partner-facts.ts';
import { canManagePartnerStaff, type StaffAction } from './policy.ts';
import { assertAllowed, notFound } from './refusals.ts';
import type { StaffTarget } from './staff-target.ts';
import { lockUserByEmail, lockUserById } from './user-locks.ts';

/** A user of a roster: their membership, their account, or both. Locked until the transaction ends. */
export interface StaffMember {
  membership: PartnerMembership | null;
  user: IdpUser | null;
}

/** Authorizes an action on a roster and returns the partner. The permission is decided before existence (403, 404). */
export async function authorizeStaffAction(
  { tx }: AuditedChange,
  context: SessionContext,
  partnerSlug: string,
  action: StaffAction,
  isSelf: boolean,
): Promise<Partner> {
  const { caller } = context;
  const own = await callersPartner(tx, context);
  assertAllowed(
    canManagePartnerStaff(caller, partnerSlug, own, { action, targetUserId: isSelf ? caller.userId : null }),
  );
  // Shared between changes of staff, so that only archiving the partner waits for them.
  const partner = await lockPartnerForShare(tx, { slug: partnerSlug });
  if (!partner) throw notFound('partner_not_found');
  return partner;
}

/** The user on this roster, or 404: staff of another roster are not found. */
export async function lockStaffMember(
  change: AuditedChange,
  { services }: SessionContext,
  partner: Partner,
  target: StaffTarget,
): Promise<StaffMember> {
  const { tx } = change;
  let user: IdpUser | null;
  let email: string;
  if (target.userId != null) {
    user = await lockUserById(change, services, target.userId);
    if (!user) throw notFound('target_not_found');
    email = user.email;
  } else {
    const row =
      target.membershipId == null
        ? null
        : await tx.partnerMembership.findFirst({ where: { id: target.membershipId, partnerId: partner.id } });
    const named = target.email ?? row?.email;
    if (named === undefined) throw notFound('target_not_found');
    email = named;
    user = await lockUserByEmail(change, services, email);
  }
  const membership = await findMembership(tx, partner.id, email, user?.id);
  if (user?.whitelabelOwnership !== partner.slug && !membership) throw notFound('target_not_found');
  return { membership, user };
}
