import { conflict } from '../../auth/decisions.ts';
import type { Partner } from '../../generated/prisma/client.ts';
import { type Conflict, Gone } from '../../lib/errors.ts';
import type { IdpUser } from '../../ports/identity-provider.ts';
import type { Services } from '../../services.ts';
import { type Writer, write } from '../../unit-of-work/write.ts';
import { withProviderSlot } from '../audited-change.ts';
import { upsertUser } from '../identity/mirror.ts';
import { lockPartnerForShare } from '../partner-facts.ts';
import { canBeInvited } from '../policy.ts';
import { isOrgOwner, lockEmail, sameRoles, unionOf } from '../users/access.ts';
import { closedInvitation, endInvitation, expiredReason, isExpired } from './end-invitation.ts';
import { activate, membershipObject } from './membership-rows.ts';

/** The origin of an acceptance: a request of the user, or a message of the provider. */
export interface JoinContext {
  services: Services;
  requestId: string;
  ip: string | null;
}

/** The acceptance as a write of the user, or of an anonymous caller without an account. */
function writerOf({ services, requestId, ip }: JoinContext, { id, email }: Pick<IdpUser, 'id' | 'email'>): Writer {
  return {
    services,
    actor: { kind: id === 'anonymous' ? id : 'user', id, email },
    requestId,
    ip,
    idempotency: null,
    answer: { replayed: false },
  };
}

/**
 * Where an invitation was accepted: on a page of the platform, or at the provider, which has already applied the
 * access.
 */
export type AcceptedAt = 'page' | 'provider';

/**
 * Makes the pending membership active, and sets roles and scope at the provider if they are missing there. Called by
 * the page for a user with an account, and by the provider's message for an account created from an invitation. A
 * second call changes nothing.
 */
export function joinRoster(
  context: JoinContext,
  user: IdpUser,
  partnerSlug: string,
  acceptedAt: AcceptedAt,
): Promise<void> {
  return withProviderSlot(context.services, partnerSlug, () => join(context, user, partnerSlug, acceptedAt));
}

function join(context: JoinContext, user: IdpUser, partnerSlug: string, acceptedAt: AcceptedAt): Promise<void> {
  const { identityProvider } = context.services;
  return write(writerOf(context, user), 'acceptInvitation', async (change) => {
    const { tx, now, audit } = change;
    await lockPartnerForShare(tx, { slug: partnerSlug });
    await lockEmail(tx, user.email);
    const membership = await tx.partnerMembership.findFirst({
      where: { partner: { slug: partnerSlug }, emailLower: user.email.toLowerCase() },
    });
    const present = await identityProvider.getUser(user.id);
    // Without a pending membership there is nothing to accept; an invitation never moves a user of another scope.
    if (membership?.status !== 'pending' || !present || !canJoinPartner(present, partnerSlug)) return;
    // A late message may report an acceptance that was revoked since: it does not accept the newer invitation.
    if (acceptedAt === 'provider' && present.whitelabelOwnership !== partnerSlug) return;
    // A message may be late, so the time at which the account was created from the invitation is decisive.
    if (acceptedAt === 'provider' && isExpired(membership, present.createdAt)) {
      await upsertUser(tx, await identityProvider.setAccess(user.id, { platformRoles: [], whitelabelOwnership: null }));
      const ending = { action: 'acceptInvitation', outcome: 'failed', reason: expiredReason } as const;
      return endInvitation(context.services, change, membership, ending);
    }
    const isScoped = present.whitelabelOwnership === partnerSlug;
    const roles = isScoped ? unionOf(present.platformRoles, membership.roles) : membership.roles;
    const joined =
      isScoped && sameRoles(roles, present.platformRoles)
        ? present
        : await identityProvider.setAccess(user.id, { platformRoles: roles, whitelabelOwnership: partnerSlug });
    await upsertUser(tx, joined);
    const active = await activate(tx, membership.id, joined, now);
    audit({
      action: 'acceptInvitation',
      target: membership.id,
      partnerId: membership.partnerId,
      before: membershipObject(membership),
      after: membershipObject(active),
    });
  });
}

function canJoinPartner({ whitelabelOwnership, platformRoles }: IdpUser, partnerSlug: string): boolean {
  return whitelabelOwnership === partnerSlug || (whitelabelOwnership === null && platformRoles.length === 0);
}

/**
 * Checks an invitation before it is accepted: since it was sent, seven days may have passed, the partner may have been
 * archived, or the user may have become staff elsewhere. Then the invitation is ended and the acceptance is 410 or 409.
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
    (pending && isExpired(pending, clock.earliest()) ? closedInvitation() : undefined);
  if (!refusal) return;
  if (pending) {
    const by = user ?? { id: 'anonymous', email: invitation.email };
    await withProviderSlot(context.services, invitation.partnerSlug, () =>
      endPending(context, pending.id, by, refusal),
    );
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
