import { randomBytes } from 'node:crypto';
import type { Env } from '../env.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import { joinRoster } from '../iam/operations.ts';
import { NotAuthorized } from '../kit/errors.ts';
import { IdpError, type IdpEvent, type IdpUser } from '../ports/identity-provider.ts';
import { buryUser, endSession, setOrgMember, unlinkOrganization, upsertOrganization, upsertUser } from './mirror.ts';

/** Takes in one message of the identity provider: verified, once, and in the order of the provider's own versions. */
export async function receiveIdentityEvent(
  env: Env,
  raw: { headers: Readonly<Record<string, string>>; body: string },
): Promise<'taken' | 'known'> {
  const event = await env.identityProvider.parseWebhook(raw).catch((error: unknown) => {
    if (error instanceof IdpError && error.code === 'REJECTED')
      throw new NotAuthorized(
        'The message is not signed by the identity provider, or its signature is older than five minutes.',
      );
    throw error;
  });
  if (await env.prisma.idpEventSeen.findUnique({ where: { id: event.id }, select: { id: true } })) return 'known';
  // Joining is a transaction of its own, and done again it changes nothing: it comes before the message counts as seen.
  if (event.type === 'user.upserted') await joinIfInvited(env, event.user);
  return env.prisma.$transaction(async (tx) => {
    const now = env.clock.now();
    const { count } = await tx.idpEventSeen.createMany({
      data: [{ id: event.id, type: event.type, at: now }],
      skipDuplicates: true,
    });
    if (count === 0) return 'known';
    await apply(tx, event, now);
    return 'taken';
  });
}

/** A new account carries roles and scope of the invitation it was made of: that is how the provider tells that one was accepted. */
async function joinIfInvited(env: Env, user: IdpUser): Promise<void> {
  const { id, email, emailVerified, whitelabelOwnership: slug } = user;
  if (slug === null || !emailVerified) return;
  const pending = await env.prisma.partnerMembership.findFirst({
    where: { emailLower: email.toLowerCase(), status: 'pending', partner: { slug } },
    select: { id: true },
  });
  if (!pending) return;
  // The message may be old; joining asks the provider what holds now.
  await upsertUser(env.prisma, user);
  await joinRoster(
    { env, requestId: `req_${randomBytes(12).toString('base64url')}`, ip: null },
    user,
    slug,
    'provider',
  );
  env.log.info({ userId: id, membershipId: pending.id }, 'An invited person has joined.');
}

async function apply(tx: Prisma.TransactionClient, event: IdpEvent, now: Date): Promise<void> {
  switch (event.type) {
    case 'user.upserted':
      return upsertUser(tx, event.user);
    case 'user.deleted':
      return buryUser(tx, event.userId, event.at);
    case 'session.ended':
      return endSession(tx, event, now);
    case 'organization.upserted':
      return upsertOrganization(tx, event.organization);
    case 'organization.deleted':
      return unlinkOrganization(tx, event.organizationId, event.at);
    case 'orgMember.upserted':
      return setOrgMember(tx, event, event.at);
    case 'orgMember.deleted':
      return setOrgMember(tx, { ...event, role: null }, event.at);
    case 'ignored':
  }
}
