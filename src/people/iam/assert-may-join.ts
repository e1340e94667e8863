import type { Partner } from '../../generated/prisma/client.ts';
import type { Conflict } from '../../kit/errors.ts';
import type { IdpUser } from '../../ports/identity-provider.ts';
import type { Services } from '../../services.ts';
import { write } from '../../write/write.ts';
import { type JoinContext, writerOf } from './join-context.ts';
import { membershipObject, revokedState } from './membership-rows.ts';
import { canBeInvited } from './policy.ts';
import { conflict } from './refusals.ts';
import { isOrgOwner } from './user-access.ts';

/**
 * Checks an invitation before it is accepted: since it was sent, the partner may have been archived or the user may
 * have become staff elsewhere. Then the membership is revoked and the acceptance is 409. `user` is null for a new
 * account.
 */
export async function assertMayJoin(
  context: JoinContext,
  invitation: { email: string; partnerSlug: string },
  user: IdpUser | null,
): Promise<void> {
  const partner = await context.services.prisma.partner.findUnique({ where: { slug: invitation.partnerSlug } });
  const refusal = await refusalOfJoin(context.services, partner, user);
  if (!refusal) return;
  if (partner) await endPending(context, partner, user ?? { id: 'anonymous', email: invitation.email }, refusal);
  throw refusal;
}

async function refusalOfJoin(
  { prisma }: Services,
  partner: Partner | null,
  user: IdpUser | null,
): Promise<Conflict | undefined> {
  if (!partner || partner.status === 'offboarded') return conflict('partner_offboarded');
  if (!user) return undefined;
  const isOwner = user.whitelabelOwnership === null && (await isOrgOwner(prisma, user.id));
  const decision = canBeInvited({ ...user, isOrgOwner: isOwner }, partner.slug);
  return decision.ok ? undefined : conflict(decision.reason);
}

/** Revokes a pending membership that can no longer be accepted. The audit log names the user who tried. */
async function endPending(
  context: JoinContext,
  partner: Partner,
  user: Pick<IdpUser, 'id' | 'email'>,
  refusal: Conflict,
): Promise<void> {
  await write(writerOf(context, user), 'acceptInvitation', async ({ tx, now, audit }) => {
    const pending = await tx.partnerMembership.findFirst({
      where: { partnerId: partner.id, emailLower: user.email.toLowerCase(), status: 'pending' },
    });
    if (!pending) return;
    const ended = await tx.partnerMembership.update({ where: { id: pending.id }, data: revokedState(now) });
    audit({
      action: 'acceptInvitation',
      target: pending.id,
      before: membershipObject(pending),
      after: membershipObject(ended),
      outcome: 'failed',
      reason: String(refusal.data['reason']),
    });
  });
}
