import type { Env } from '../env.ts';
import type { Partner, PartnerMembership, Prisma } from '../generated/prisma/client.ts';
import { upsertUser } from '../identity/operations.ts';
import type { Conflict } from '../kit/errors.ts';
import { type Writer, write } from '../kit/write.ts';
import type { IdpUser } from '../ports/identity-provider.ts';
import { isOrgOwner, lockPerson, sameRoles, union } from './people.ts';
import { canBeInvited } from './policy.ts';
import { conflict } from './refusals.ts';
import { revokedState } from './revoke-staff.ts';
import { membershipObject } from './roster.ts';

/** Where a joining comes from: a request of the person, or a message of the provider. */
export interface JoinContext {
  env: Env;
  requestId: string;
  ip: string | null;
}

/**
 * Asked before an invitation is accepted: between invitation and acceptance the partner may have been archived, or the person have
 * become somebody elsewhere. Then the membership ends here, and the acceptance is 409. `user` is null for a new account.
 */
export async function assertMayJoin(
  context: JoinContext,
  invitation: { email: string; partnerSlug: string },
  user: IdpUser | null,
): Promise<void> {
  const partner = await context.env.prisma.partner.findUnique({ where: { slug: invitation.partnerSlug } });
  const refusal = await refusalOfJoin(context.env, partner, user);
  if (!refusal) return;
  if (partner) await endPending(context, partner, user ?? { id: 'anonymous', email: invitation.email }, refusal);
  throw refusal;
}

/** What nobody will join any more ends, and the audit log says of whose attempt. */
async function endPending(
  context: JoinContext,
  partner: Partner,
  who: Pick<IdpUser, 'id' | 'email'>,
  refusal: Conflict,
): Promise<void> {
  await write(writerOf(context, who), 'acceptInvitation', async ({ tx, now, audit }) => {
    const pending = await tx.partnerMembership.findFirst({
      where: { partnerId: partner.id, emailLower: who.email.toLowerCase(), status: 'pending' },
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

function writerOf({ env, requestId, ip }: JoinContext, { id, email }: Pick<IdpUser, 'id' | 'email'>): Writer {
  return {
    env,
    actor: { kind: id === 'anonymous' ? id : 'user', id, email },
    requestId,
    ip,
    idempotency: null,
    replayed: false,
  };
}

async function refusalOfJoin(
  { prisma }: Env,
  partner: Partner | null,
  user: IdpUser | null,
): Promise<Conflict | undefined> {
  if (!partner || partner.status === 'offboarded') return conflict('partner_offboarded');
  if (!user) return undefined;
  const decision = canBeInvited(
    { ...user, isOrgOwner: user.whitelabelOwnership === null && (await isOrgOwner(prisma, user.id)) },
    partner.slug,
  );
  return decision.ok ? undefined : conflict(decision.reason);
}

/** Where somebody accepted: on a page of ours, or at the provider, which has given roles and scope by then. */
export type AcceptedAt = 'page' | 'provider';

/**
 * Makes the pending membership active, with roles and scope at the provider where they are not there yet. Called when the person
 * accepted: by the page, for who has an account; by the provider's message, for a new account made of an invitation. Doing it
 * twice changes nothing.
 */
export async function joinRoster(
  context: JoinContext,
  user: IdpUser,
  partnerSlug: string,
  acceptedAt: AcceptedAt,
): Promise<void> {
  const { identityProvider } = context.env;
  await write(writerOf(context, user), 'acceptInvitation', async ({ tx, now, audit }) => {
    await tx.$queryRaw`SELECT id FROM partners WHERE slug = ${partnerSlug} FOR SHARE`;
    await lockPerson(tx, user.email);
    const membership = await tx.partnerMembership.findFirst({
      where: { partner: { slug: partnerSlug }, emailLower: user.email.toLowerCase() },
    });
    const present = await identityProvider.getUser(user.id);
    // Without a pending row there is nothing to accept; who is elsewhere by now is moved by nobody's invitation.
    if (membership?.status !== 'pending' || !present || !isFreeFor(present, partnerSlug)) return;
    // A late message tells of an acceptance that was revoked since: the new invitation is still to be accepted.
    if (acceptedAt === 'provider' && present.whitelabelOwnership !== partnerSlug) return;
    const roles =
      present.whitelabelOwnership === partnerSlug ? union(present.platformRoles, membership.roles) : membership.roles;
    const settled = present.whitelabelOwnership === partnerSlug && sameRoles(roles, present.platformRoles);
    const joined = settled
      ? present
      : await identityProvider.setAccess(user.id, { platformRoles: roles, whitelabelOwnership: partnerSlug });
    await upsertUser(tx, joined);
    const active = await activate(tx, membership.id, joined, now);
    audit({
      action: 'acceptInvitation',
      target: membership.id,
      before: membershipObject(membership),
      after: membershipObject(active),
    });
  });
}

function activate(tx: Prisma.TransactionClient, id: string, user: IdpUser, now: Date): Promise<PartnerMembership> {
  return tx.partnerMembership.update({
    where: { id },
    data: {
      status: 'active',
      userId: user.id,
      roles: [...user.platformRoles],
      joinedAt: now,
      invitationId: null,
      revokedAt: null,
    },
  });
}

function isFreeFor({ whitelabelOwnership, platformRoles }: IdpUser, partnerSlug: string): boolean {
  return whitelabelOwnership === partnerSlug || (whitelabelOwnership === null && platformRoles.length === 0);
}
