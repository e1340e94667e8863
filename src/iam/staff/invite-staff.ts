import { assertAllowed, conflict, notAssignable, notFound } from '../../auth/decisions.ts';
import { isHub } from '../../auth/roles.ts';
import type { SessionContext } from '../../call/context.ts';
import type { Partner, PartnerMembership } from '../../generated/prisma/client.ts';
import { Conflict, invalid, type PolicyReason } from '../../lib/errors.ts';
import { countAttempt, hourMs, takeBackAttempt } from '../../limits/windows.ts';
import type { IdpUser } from '../../ports/identity-provider.ts';
import { type AuditedChange, runChangeAtProvider } from '../audited-change.ts';
import { canBeInvited, canHoldRoles, canTakeAccess, disclosableReason } from '../policy.ts';
import { isOrgOwner, lockEmail, lockUserByEmail, setAccess, unionOf } from '../users/access.ts';
import { canBeResent, isExpired } from './end-invitation.ts';
import { addToRoster, findMembership, membershipObject } from './membership-rows.ts';
import { invitePending } from './pending-invitation.ts';
import { assertOneTarget, authorizeStaffAction, isSelf, type StaffTarget, targetName } from './roster-staff.ts';

/** How many invitations of a partner's staff in an hour may be rejected as not invitable. */
export const refusedInvitesMax = 30;

/**
 * Limits invitations by a partner's own staff, so that they cannot probe which email addresses have a role elsewhere:
 * "not invitable" discloses that. An invitation is counted before it is made, and the count is taken back if it ends
 * otherwise. So the limit also applies to concurrent invitations, and the error above the limit discloses nothing.
 */
async function withBoundedRefusals<Result>(
  { caller, services }: SessionContext,
  partnerSlug: string,
  invite: () => Promise<Result>,
): Promise<Result> {
  if (isHub(caller) || caller.whitelabelOwnership !== partnerSlug) return invite();
  const subject = `not-invitable/${partnerSlug}`;
  await countAttempt(services, subject, refusedInvitesMax, hourMs);
  let isRefused = false;
  try {
    return await invite();
  } catch (error) {
    isRefused = error instanceof Conflict && error.data['reason'] === notInvitable;
    throw error;
  } finally {
    if (!isRefused) await takeBackAttempt(services, subject);
  }
}

const notInvitable: PolicyReason = 'email_not_invitable';

export interface Invited {
  status: 'invited' | 'role_updated';
  membershipId: string;
}

/**
 * Adds a user to a partner's roster; idempotent on partner and email address. Staff of the partner get the roles
 * added, any other user an invitation. Staff of another partner, internal staff and owners of a merchant are rejected,
 * also for a superadmin.
 */
export function inviteStaff(
  context: SessionContext,
  partnerSlug: string,
  input: { email: string; roles: readonly string[] },
): Promise<Invited> {
  const { email } = input;
  const roles = [...new Set(input.roles)];
  if (roles.length === 0) throw invalid('roles', 'must contain at least one role');
  const attempt = { action: 'inviteStaff', target: `${partnerSlug}/${email.toLowerCase()}` };
  const invite = async (change: AuditedChange): Promise<Invited> => {
    const self = await isSelf(change.tx, context, { email });
    const partner = await authorizeStaffAction(change, context, partnerSlug, 'invite', self);
    const user = await lockUserByEmail(change, context.services, email);
    const isMember = user?.whitelabelOwnership === partnerSlug;
    assertAllowed(canHoldRoles(partnerSlug, isMember ? user.platformRoles : [], roles), notAssignable);
    assertAllowed(canTakeAccess(partner), conflict);
    if (user) await assertCanBeInvited(change, context, user, partnerSlug);
    const membership = await findMembership(change.tx, partner.id, email, isMember ? user.id : undefined);
    return isMember
      ? addRoles(change, context, partner, membership, user, roles)
      : inviteNew(change, context, partner, membership, email, roles);
  };
  return withBoundedRefusals(context, partnerSlug, () => runChangeAtProvider(context, attempt, invite));
}

async function assertCanBeInvited(
  { tx }: AuditedChange,
  { caller }: SessionContext,
  user: IdpUser,
  partnerSlug: string,
): Promise<void> {
  const isOwner = user.whitelabelOwnership === null && (await isOrgOwner(tx, user.id));
  assertAllowed(canBeInvited({ ...user, isOrgOwner: isOwner }, partnerSlug), (reason) =>
    conflict(disclosableReason(caller, reason)),
  );
}

async function addRoles(
  change: AuditedChange,
  context: SessionContext,
  partner: Partner,
  membership: PartnerMembership | null,
  user: IdpUser,
  roles: readonly string[],
): Promise<Invited> {
  const added = roles.filter((role) => !user.platformRoles.includes(role));
  if (added.length === 0 && membership?.status === 'active') throw conflict('already_on_roster');
  const changed = await setAccess(change, context.services, user, {
    platformRoles: unionOf(user.platformRoles, roles),
    whitelabelOwnership: partner.slug,
  });
  const row = await addToRoster(change, context, partner, membership, changed);
  change.audit({
    action: 'inviteStaff',
    target: row.id,
    partnerId: partner.id,
    before: { platformRoles: user.platformRoles },
    after: membershipObject(row),
  });
  return { status: 'role_updated', membershipId: row.id };
}

async function inviteNew(
  change: AuditedChange,
  context: SessionContext,
  partner: Partner,
  membership: PartnerMembership | null,
  email: string,
  requested: readonly string[],
): Promise<Invited> {
  const pending = membership?.status === 'pending' && !isExpired(membership, change.earliest) ? membership : null;
  const roles = unionOf(pending?.roles ?? [], requested);
  // An unchanged pending invitation is kept: resendStaffInvitation renews the link.
  const isUnchanged = pending !== null && roles.length === pending.roles.length;
  const row = isUnchanged ? pending : await invitePending(change, context, partner, membership, email, roles);
  change.audit({
    action: 'inviteStaff',
    target: row.id,
    partnerId: partner.id,
    before: membership && membershipObject(membership),
    after: membershipObject(row),
  });
  return { status: 'invited', membershipId: row.id };
}

/** Replaces the link of an invitation that is pending or has expired. 404 for any other membership. */
export function resendStaffInvitation(
  context: SessionContext,
  partnerSlug: string,
  target: StaffTarget,
): Promise<{ status: 'invited' }> {
  assertOneTarget(target);
  const action = 'resendStaffInvitation';
  return runChangeAtProvider(context, { action, target: targetName(partnerSlug, target) }, async (change) => {
    const { tx } = change;
    const self = await isSelf(tx, context, target);
    const partner = await authorizeStaffAction(change, context, partnerSlug, 'resend-invitation', self);
    const named = await findNamed(change, partner.id, target);
    if (!named) throw notFound('target_not_found');
    await lockEmail(tx, named.email);
    const membership = await findMembership(tx, partner.id, named.email, undefined);
    if (!membership || !canBeResent(membership)) throw notFound('target_not_found');
    assertAllowed(canTakeAccess(partner), conflict);
    const row = await invitePending(change, context, partner, membership, membership.email, membership.roles);
    change.audit({
      action,
      target: row.id,
      partnerId: partner.id,
      before: membershipObject(membership),
      after: membershipObject(row),
    });
    return { status: 'invited' } as const;
  });
}

async function findNamed(
  { tx }: AuditedChange,
  partnerId: string,
  { userId, email, membershipId }: StaffTarget,
): Promise<{ email: string } | null> {
  if (email != null) return { email };
  if (membershipId != null) return tx.partnerMembership.findFirst({ where: { id: membershipId, partnerId } });
  return tx.iamUser.findUnique({ where: { idpUserId: userId ?? '' } });
}
