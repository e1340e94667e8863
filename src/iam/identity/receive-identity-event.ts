import { randomBytes } from 'node:crypto';
import type { Prisma } from '../../generated/prisma/client.ts';
import { NotAuthorized } from '../../lib/errors.ts';
import { IdpError, type IdpEvent, type IdpUser } from '../../ports/identity-provider.ts';
import type { Services } from '../../services.ts';
import { joinRoster } from '../staff/join-roster.ts';
import {
  endSession,
  markUserDeleted,
  setOrgMember,
  unlinkOrganization,
  upsertOrganization,
  upsertUser,
} from './mirror.ts';

/** Applies one message of the identity provider: verified, once, and in the order of the provider's versions. */
export async function receiveIdentityEvent(
  services: Services,
  raw: { headers: Readonly<Record<string, string>>; body: string },
): Promise<'taken' | 'known'> {
  const event = await services.identityProvider.parseWebhook(raw).catch((error: unknown) => {
    if (error instanceof IdpError && error.code === 'REJECTED')
      throw new NotAuthorized('The signature of the identity provider is missing, invalid or older than five minutes.');
    throw error;
  });
  if (await services.prisma.idpProcessedEvent.findUnique({ where: { id: event.id }, select: { id: true } }))
    return 'known';
  // Joining is a separate transaction and can be repeated, so it runs before the message is recorded as received.
  if (event.type === 'user.upserted') await joinIfInvited(services, event.user);
  return services.prisma.$transaction(async (tx) => {
    const now = services.clock.now();
    const { count } = await tx.idpProcessedEvent.createMany({
      data: [{ id: event.id, type: event.type, at: now }],
      skipDuplicates: true,
    });
    if (count === 0) return 'known';
    await apply(tx, event, now);
    return 'taken';
  });
}

/** An account with the scope of a pending membership was created from its invitation, which counts as acceptance. */
async function joinIfInvited(services: Services, user: IdpUser): Promise<void> {
  const { id, email, emailVerified, whitelabelOwnership: slug } = user;
  if (slug === null || !emailVerified) return;
  const pending = await services.prisma.partnerMembership.findFirst({
    where: { emailLower: email.toLowerCase(), status: 'pending', partner: { slug } },
    select: { id: true },
  });
  if (!pending) return;
  // The message may be old; joining reads the current state from the provider.
  await upsertUser(services.prisma, user);
  await joinRoster(
    { services, requestId: `req_${randomBytes(12).toString('base64url')}`, ip: null },
    user,
    slug,
    'provider',
  );
  services.log.info({ userId: id, membershipId: pending.id }, 'An invited user has joined.');
}

async function apply(tx: Prisma.TransactionClient, event: IdpEvent, now: Date): Promise<void> {
  switch (event.type) {
    case 'user.upserted':
      return upsertUser(tx, event.user);
    case 'user.deleted':
      return markUserDeleted(tx, event.userId, event.at);
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
