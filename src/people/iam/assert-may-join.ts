import type { Partner } from '../../generated/prisma/client.ts';
import { type Conflict, Gone } from '../../kit/errors.ts';
import type { IdpUser } from '../../ports/identity-provider.ts';
import type { Services } from '../../services.ts';
import { write } from '../../write/write.ts';
import { endInvitation, expiredReason } from './end-invitation.ts';
import { closedInvitation, isExpired } from './invitation-expiry.ts';
import { type JoinContext, writerOf } from './join-context.ts';
import { canBeInvited } from './policy.ts';
import { askingProvider } from './provider-places.ts';
import { conflict } from './refusals.ts';
import { isOrgOwner } from './user-access.ts';

/**
 * Checks an invitation before it is accepted: since it was sent, seven days may have passed, the partner may have been
 * archived or the user may have become staff elsewhere. Then the invitation is ended and the acceptance is 410 or 409.
 * `user` is null for a new account.
 */
export async function assertMayJoin(
  context: JoinContext,
  invitation: { email: string; partnerSlug: string },
  user: IdpUser | null,
): Promise<void> {
  const { prisma, clock } = context.services;
  const partner = await prisma.partner.findUnique({ where: { slug: invitation.partnerSlug } });
  const emailLower = (user?.email ?? invitation.email).toLowerCase();
  const pending = await prisma.partnerMembership.findFirst({
    where: { partner: { slug: invitation.partnerSlug }, emailLower, status: 'pending' },
  });
  const refusal =
    (await refusalOfJoin(context.services, partner, user)) ??
    (pending && isExpired(pending, clock.passed()) ? closedInvitation() : undefined);
  if (!refusal) return;
  if (pending) {
    const by = user ?? { id: 'anonymous', email: invitation.email };
    await askingProvider(context.services, invitation.partnerSlug, () => endPending(context, pending.id, by, refusal));
  }
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

/** Ends an invitation that can no longer be accepted. The audit log names the user who tried. */
async function endPending(
  context: JoinContext,
  id: string,
  user: Pick<IdpUser, 'id' | 'email'>,
  refusal: Conflict | Gone,
): Promise<void> {
  const reason = refusal instanceof Gone ? expiredReason : String(refusal.data['reason']);
  await write(writerOf(context, user), 'acceptInvitation', async (change) => {
    const pending = await change.tx.partnerMembership.findUnique({ where: { id } });
    if (pending?.status !== 'pending') return;
    await endInvitation(context.services, change, pending, { action: 'acceptInvitation', outcome: 'failed', reason });
  });
}
