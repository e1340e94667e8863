import { assertAllowed, conflict, notAssignable, notFound } from '../../auth/decisions.ts';
import type { SessionContext } from '../../call/context.ts';
import type { Partner, PartnerMembership } from '../../generated/prisma/client.ts';
import { InvalidInput } from '../../lib/errors.ts';
import type { IdpUser } from '../../ports/identity-provider.ts';
import { type AuditedChange, runChangeAtProvider } from '../audited-change.ts';
import { callersPartner, type DirectoryReader, lockPartnerForShare } from '../partner-facts.ts';
import { canHoldRoles, canManagePartnerStaff, canTakeAccess, type StaffAction } from '../policy.ts';
import type { UserRoles } from '../types.ts';
import { lockUserByEmail, lockUserById, setAccess } from '../users/access.ts';
import { addToRoster, findMembership } from './membership-rows.ts';

/** A user of a roster: their membership, their account, or both. Locked until the transaction ends. */
export interface StaffMember {
  membership: PartnerMembership | null;
  user: IdpUser | null;
}

/** Authorizes an action on a roster and returns the partner. The permission is checked before existence (403, 404). */
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
  // A shared lock, so that changes of staff do not wait for each other, and only archiving the partner waits for them.
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

/** The identifier of a user of a roster in a request: exactly one of the three fields. */
export interface StaffTarget {
  userId?: string | null | undefined;
  email?: string | null | undefined;
  membershipId?: string | null | undefined;
}

export function assertOneTarget(target: StaffTarget): void {
  const named = [target.userId, target.email, target.membershipId].filter((value) => value != null);
  if (named.length === 1) return;
  const message =
    named.length === 0
      ? 'is required: exactly one of userId, email and membershipId'
      : 'cannot be combined with another: exactly one of userId, email and membershipId is required';
  const paths = (['userId', 'email', 'membershipId'] as const).filter(
    (path) => named.length === 0 || target[path] != null,
  );
  throw new InvalidInput(paths.map((path) => ({ path, message })));
}

/** Whether the target of a request is its own caller: by id, by email address, or by the caller's own membership. */
export async function isSelf(db: DirectoryReader, { caller }: SessionContext, target: StaffTarget): Promise<boolean> {
  if (target.userId != null) return target.userId === caller.userId;
  if (target.email != null) return target.email.toLowerCase() === caller.email.toLowerCase();
  const row = await db.partnerMembership.findUnique({ where: { id: target.membershipId ?? '' } });
  return row !== null && (row.userId === caller.userId || row.emailLower === caller.email.toLowerCase());
}

/** The name in the audit log of a target that was not found. */
export function targetName(partnerSlug: string, { userId, email, membershipId }: StaffTarget): string {
  return `${partnerSlug}/${userId ?? membershipId ?? email?.toLowerCase()}`;
}

/**
 * Replaces the roles of an active member of staff. Added roles must be assignable to staff of a partner; current roles
 * may stay or be removed.
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
    await addToRoster(change, context, partner, membership, changed);
    change.audit({
      action,
      target: user.id,
      partnerId: partner.id,
      before: { platformRoles: user.platformRoles },
      after: { platformRoles: changed.platformRoles },
    });
    return { userId: user.id, platformRoles: [...changed.platformRoles] };
  });
}
