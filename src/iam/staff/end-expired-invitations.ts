import { constant, sql } from '../../database/sql.ts';
import { claimDue, claimedIsDone, mayRetry } from '../../jobs/leases.ts';
import { type Due, runDueRows, type Saturated } from '../../jobs/run-due-rows.ts';
import type { Services } from '../../services.ts';
import { jobWriter, write } from '../../unit-of-work/write.ts';
import { withProviderSlot } from '../audited-change.ts';
import { lockEmail } from '../users/access.ts';
import { endInvitation, expiredReason, expiredSince, isExpired } from './end-invitation.ts';
import { joinRoster } from './join-roster.ts';

const job = 'end-expired-invitations';
const batchMax = 200;
const never = new AbortController().signal;

interface Expired extends Due {
  email: string;
  slug: string;
}

/**
 * Ends the invitations that were not accepted within seven days, a few of each partner concurrently, and returns how
 * many were ended. One that cannot be ended is retried with backoff.
 */
export function endExpiredInvitations(services: Services, stopping: AbortSignal = never): Promise<number> {
  return runDueRows<Expired>({
    lease: (full) => leaseExpired(services, full),
    run: (invitation) => endExpired(services, invitation),
    failed: (error, { id: membershipId }) =>
      services.log.warn({ err: error, membershipId }, 'An expired invitation could not be ended yet.'),
    stopping,
  });
}

/** Of a partner as many run as of an account, so that waits for its rows or for its users do not delay other partners. */
function leaseExpired({ pool, clock }: Services, { accounts }: Saturated): Promise<Expired[]> {
  const now = clock.real();
  const due = sql`
    SELECT
      m.id, m."partnerId", m."partnerId" AS "platformAccountId", NULL AS mode, NULL AS "processorId", m.email, p.slug
    FROM partner_memberships m
    JOIN partners p ON p.id = m."partnerId"
    WHERE m.status = 'pending' AND m."invitedAt" <= ${expiredSince(clock.earliest())}
      AND m."partnerId" <> ALL(${accounts}::text[])
      AND ${mayRetry(job, sql`m.id`, now)}
    ORDER BY m."invitedAt"
    LIMIT ${constant(batchMax)}`;
  return claimDue(pool, job, due, now);
}

/** False if it was accepted in time, or has ended meanwhile. */
async function endExpired(services: Services, { id, email, slug }: Expired): Promise<boolean> {
  // The provider's message about an acceptance in time may be late or lost.
  const user = await services.identityProvider.findUserByEmail(email);
  if (user?.whitelabelOwnership === slug)
    await joinRoster({ services, requestId: jobWriter(services, job).requestId, ip: null }, user, slug, 'provider');
  const end = () =>
    write(jobWriter(services, job), 'expireInvitation', async (change) => {
      await lockEmail(change.tx, email);
      const pending = await change.tx.partnerMembership.findUnique({ where: { id } });
      if (pending?.status !== 'pending' || !isExpired(pending, change.earliest)) return false;
      await endInvitation(services, change, pending, { action: 'expireInvitation', reason: expiredReason });
      return true;
    });
  const isEnded = await withProviderSlot(services, slug, end);
  await claimedIsDone(services.pool, job, id);
  return isEnded;
}
