import type { SessionContext } from '../../graph/context.ts';
import { leaveRoster } from './leave-roster.ts';
import type { StaffTarget } from './staff-target.ts';

/** Removes the access of a member of staff, or a pending invitation, and deletes the membership. A repeat is 404. */
export async function deleteStaff(
  context: SessionContext,
  partnerSlug: string,
  target: StaffTarget,
): Promise<{ status: 'deleted' }> {
  const names = { action: 'deleteStaff', policyAction: 'delete' } as const;
  await leaveRoster(context, names, partnerSlug, target, async ({ tx }, { membership }) => {
    if (membership) await tx.partnerMembership.delete({ where: { id: membership.id } });
    return null;
  });
  return { status: 'deleted' };
}
