import type { SessionContext } from '../graph/context.ts';
import { act } from './act.ts';
import { lockPerson } from './people.ts';
import { conflict, notFound } from './refusals.ts';
import { invitePending } from './invite-staff.ts';
import { assertOneTarget, findMembership, gate, isSelf, membershipObject, type StaffTarget } from './roster.ts';
import { targetName } from './revoke-staff.ts';

/** A fresh link in place of the pending one, also when that has expired. Without a pending invitation: 404. */
export function resendStaffInvitation(
  context: SessionContext,
  partnerSlug: string,
  target: StaffTarget,
): Promise<{ status: 'invited' }> {
  assertOneTarget(target);
  const action = 'resendStaffInvitation';
  return act(context, { action, target: targetName(partnerSlug, target) }, async (change) => {
    const partner = await gate(
      change,
      context,
      partnerSlug,
      'resend-invitation',
      await isSelf(change.tx, context, target),
    );
    const { tx } = change;
    const named =
      target.email != null
        ? { email: target.email }
        : target.membershipId != null
          ? await tx.partnerMembership.findFirst({ where: { id: target.membershipId, partnerId: partner.id } })
          : await tx.iamUser.findUnique({ where: { idpUserId: target.userId ?? '' } });
    if (!named) throw notFound('target_not_found');
    await lockPerson(tx, named.email);
    const membership = await findMembership(tx, partner.id, named.email, undefined);
    if (membership?.status !== 'pending') throw notFound('target_not_found');
    if (partner.status === 'offboarded') throw conflict('partner_offboarded');
    const row = await invitePending(change, context, partner, membership, membership.email, membership.roles);
    change.audit({ action, target: row.id, before: membershipObject(membership), after: membershipObject(row) });
    return { status: 'invited' } as const;
  });
}
