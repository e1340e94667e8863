import type { Partner, PartnerMembership } from '../../generated/prisma/client.ts';
import type { Services } from '../../services.ts';
import { type Writer, write } from '../../write/write.ts';
import { endInvitation, expiredReason } from './end-invitation.ts';
import { expiredSince, isExpired } from './invitation-expiry.ts';
import { joinRoster } from './join-roster.ts';
import { lockEmail } from './user-locks.ts';

const batchMax = 200;
const never = new AbortController().signal;

/** Ends the invitations that nobody accepted in seven days, and returns how many were ended. */
export async function endExpiredInvitations(services: Services, stopping: AbortSignal = never): Promise<number> {
  for (let endedCount = 0; ; ) {
    const expired = await services.prisma.partnerMembership.findMany({
      where: { status: 'pending', invitedAt: { lte: expiredSince(services.clock.passed()) } },
      include: { partner: true },
      orderBy: { invitedAt: 'asc' },
      take: batchMax,
    });
    for (const membership of expired) if (await endExpired(services, membership)) endedCount++;
    if (expired.length < batchMax || stopping.aborted) return endedCount;
  }
}

async function endExpired(
  services: Services,
  { id, email, partner }: PartnerMembership & { partner: Partner },
): Promise<boolean> {
  // The provider's message about an acceptance in time may be late or lost.
  const user = await services.identityProvider.findUserByEmail(email);
  if (user?.whitelabelOwnership === partner.slug)
    await joinRoster({ services, requestId: requestIdOf(services), ip: null }, user, partner.slug, 'provider');
  return write(writerOf(services), 'endExpiredInvitation', async (change) => {
    await lockEmail(change.tx, email);
    const pending = await change.tx.partnerMembership.findUnique({ where: { id } });
    if (pending?.status !== 'pending' || !isExpired(pending, change.passed)) return false;
    await endInvitation(services, change, pending, { action: 'endExpiredInvitation', reason: expiredReason });
    return true;
  });
}

function writerOf(services: Services): Writer {
  return {
    services,
    actor: { kind: 'system', id: 'end-expired-invitations' },
    requestId: requestIdOf(services),
    ip: null,
    idempotency: null,
    replayed: false,
  };
}

function requestIdOf({ clock }: Services): string {
  return `job_end-expired-invitations_${clock.now().getTime()}`;
}
