import type { Partner, PartnerMembership } from '../generated/prisma/client.ts';
import type { SessionContext } from '../graph/context.ts';
import { act, type Act } from './act.ts';
import { setAccess } from './people.ts';
import type { StaffAction } from './policy.ts';
import {
  assertOneTarget,
  gate,
  isSelf,
  lockTeammate,
  membershipObject,
  type StaffTarget,
  type Teammate,
} from './roster.ts';

/** Takes a teammate's rights, or a pending invitation, and keeps the row as revoked; again: the same answer. The account stays. */
export function revokeStaff(
  context: SessionContext,
  partnerSlug: string,
  target: StaffTarget,
): Promise<{ status: 'revoked' }> {
  return leaveRoster(context, 'revokeStaff', 'revoke', partnerSlug, target, async (change, { membership }) => {
    if (!membership) return null;
    if (membership.status === 'revoked') return membership;
    return change.tx.partnerMembership.update({ where: { id: membership.id }, data: revokedState(change.now) });
  }).then(() => ({ status: 'revoked' }) as const);
}

/** The same, and the row goes, too; again: 404. */
export function deleteStaff(
  context: SessionContext,
  partnerSlug: string,
  target: StaffTarget,
): Promise<{ status: 'deleted' }> {
  return leaveRoster(context, 'deleteStaff', 'delete', partnerSlug, target, async (change, { membership }) => {
    if (membership) await change.tx.partnerMembership.delete({ where: { id: membership.id } });
    return null;
  }).then(() => ({ status: 'deleted' }) as const);
}

export function revokedState(now: Date): { status: string; invitationId: null; revokedAt: Date } {
  return { status: 'revoked', invitationId: null, revokedAt: now };
}

function leaveRoster(
  context: SessionContext,
  action: string,
  policyAction: StaffAction,
  partnerSlug: string,
  target: StaffTarget,
  write: (change: Act, teammate: Teammate) => Promise<PartnerMembership | null>,
): Promise<void> {
  assertOneTarget(target);
  return act(context, { action, target: targetName(partnerSlug, target) }, async (change) => {
    const partner = await gate(change, context, partnerSlug, policyAction, await isSelf(change.tx, context, target));
    const teammate = await lockTeammate(change, context, partner, target);
    await strip(change, context, partner, teammate);
    const row = await write(change, teammate);
    const { membership, user } = teammate;
    const before = {
      ...(membership && membershipObject(membership)),
      ...(user?.whitelabelOwnership === partnerSlug && {
        platformRoles: user.platformRoles,
        whitelabelOwnership: partnerSlug,
      }),
    };
    change.audit({
      action,
      target: membership?.id ?? user?.id ?? targetName(partnerSlug, target),
      before,
      after: row && membershipObject(row),
    });
  });
}

/** Roles and scope go only where they are this partner's: an old row says nothing of what the person is elsewhere today. */
async function strip(
  change: Act,
  { env }: SessionContext,
  partner: Partner,
  { membership, user }: Teammate,
): Promise<void> {
  if (membership?.invitationId != null) await env.identityProvider.revokeInvitation(membership.invitationId);
  if (user?.whitelabelOwnership === partner.slug)
    await setAccess(change, env, user, { platformRoles: [], whitelabelOwnership: null });
}

/** How the audit log names a target that was never found. */
export function targetName(partnerSlug: string, { userId, email, membershipId }: StaffTarget): string {
  return `${partnerSlug}/${userId ?? membershipId ?? email?.toLowerCase()}`;
}
