import type { SessionContext } from '../../graph/context.ts';
import { leaveRoster } from './leave-roster.ts';
import { revokedState } from './membership-rows.ts';
import type { StaffTarget } from './staff-target.ts';

/**
 * Removes the access of a member of staff, or a pending invitation, and keeps the membership as revoked. A repeat
 * returns the same answer. The account is not changed.
 */
export async function revokeStaff(
  context: SessionContext,
  partnerSlug: string,
  target: StaffTarget,
): Promise<{ status: 'revoked' }> {
  const names = { action: 'revokeStaff', policyAction: 'revoke' } as const;
  await leaveRoster(context, names, partnerSlug, target, async ({ tx, now }, { membership }) => {
    if (!membership || membership.status === 'revoked') return membership;
    return tx.partnerMembership.update({ where: { id: membership.id }, data: revokedState(now) });
  });
  return { status: 'revoked' };
}
