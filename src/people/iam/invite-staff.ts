import type { Partner, PartnerMembership } from '../../generated/prisma/client.ts';
import type { SessionContext } from '../../graph/context.ts';
import { invalid } from '../../kit/errors.ts';
import type { IdpUser } from '../../ports/identity-provider.ts';
import { type AuditedChange, runChangeAtProvider } from './audited-change.ts';
import { withBoundedRefusals } from './bounded-refusals.ts';
import { isExpired } from './invitation-expiry.ts';
import { findMembership, membershipObject, putOnRoster } from './membership-rows.ts';
import { invitePending } from './pending-invitation.ts';
import { canBeInvited, canHoldRoles, canTakeAccess, disclosableReason } from './policy.ts';
import { assertAllowed, conflict, notAssignable } from './refusals.ts';
import { authorizeStaffAction } from './roster-staff.ts';
import { isSelf } from './staff-target.ts';
import { isOrgOwner, setAccess, unionOf } from './user-access.ts';
import { lockUserByEmail } from './user-locks.ts';

export interface Invited {
  status: 'invited' | 'role_updated';
  membershipId: string;
}

/**
 * Adds a user to a partner's roster; idempotent on partner and e-mail address. Staff of the partner get the roles
 * added, any other user an invitation. Staff of another partner, internal staff and owners of a merchant are refused,
 * also to a superadmin.
 */
export function inviteStaff(
  context: SessionContext,
  partnerSlug: string,
  input: { email: string; roles: readonly string[] },
): Promise<Invited> {
  const { email } = input;
  const roles = [...new Set(input.roles)];
  if (roles.length === 0) throw invalid('roles', 'must have at least one role');
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
  const row = await putOnRoster(change, context, partner, membership, changed);
  change.audit({
    action: 'inviteStaff',
    target: row.id,
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
  const pending = membership?.status === 'pending' && !isExpired(membership, change.passed) ? membership : null;
  const roles = unionOf(pending?.roles ?? [], requested);
  // An unchanged pending invitation stays: resendStaffInvitation is what renews the link.
  const isUnchanged = pending !== null && roles.length === pending.roles.length;
  const row = isUnchanged ? pending : await invitePending(change, context, partner, membership, email, roles);
  change.audit({
    action: 'inviteStaff',
    target: row.id,
    before: membership && membershipObject(membership),
    after: membershipObject(row),
  });
  return { status: 'invited', membershipId: row.id };
}
