import { servedModes } from '../../auth/sandbox.ts';
import { cutOffStatuses } from '../../auth/standing.ts';
import { notPutOff, ofOthers, takeDue, takenIsDone } from '../../database/put-off.ts';
import { constant, sql } from '../../database/sql.ts';
import { type Due, type Full, runAtOnce } from '../../runtime/at-once.ts';
import type { Services } from '../../services.ts';
import { findPayments, requirePayment } from './payment-with-transactions.ts';
import { endChallenge } from './processor-challenge.ts';
import { outcomeDetailsOf } from './resolve-transaction.ts';

const job = 'expire-challenges';
const batchMax = 50;

/**
 * Ends payments whose challenge has expired, and those of partners that were suspended or offboarded meanwhile: a
 * challenge that is answered takes money. One that cannot be closed at its processor stays open, and is tried again
 * later and later. Challenges on test clocks expire when their clock is advanced.
 */
export function expireChallenges(services: Services, stopping: AbortSignal = never): Promise<number> {
  return runAtOnce<Due>({
    lease: (full) => leaseExpired(services, full),
    async run({ id }) {
      await abandonChallenge(services, id);
      await takenIsDone(services.pool, job, id);
    },
    failed: (error, { id: paymentId }) => logOpen(services, error, paymentId),
    stopping,
  });
}

const never = new AbortController().signal;

function leaseExpired({ pool, clock, config }: Services, full: Full): Promise<Due[]> {
  const now = clock.now();
  const due = sql`
    SELECT p.id, p."platformAccountId", p."processorId"
    FROM payments p
    JOIN partners o ON o.id = p."partnerId"
    WHERE p.status = 'pending' AND p."subStatus" = 'requires_action' AND p."testClockId" IS NULL
      AND (p."actionExpiresAt" <= ${clock.passed()} OR o.status = ANY(${cutOffStatuses}::text[]))
      AND ${ofOthers(full, sql`p."platformAccountId"`, sql`p."processorId"`)}
      AND ${notPutOff(job, sql`p.id`, now)}
      ${servedModes(config, sql`p.mode`)}
    ORDER BY p."actionExpiresAt"
    LIMIT ${constant(batchMax)}`;
  return takeDue(pool, job, due, now);
}

/** Ends payments of one test clock whose challenge has expired at its time. */
export async function expireChallengesOf(services: Services, testClockId: string): Promise<number> {
  const due = await findPayments(services.prisma, {
    where: {
      testClockId,
      ...(services.config.sandbox && { mode: 'test' }),
      status: 'pending',
      subStatus: 'requires_action',
      OR: [
        { actionExpiresAt: { lte: services.clock.passed() } },
        { store: { account: { partner: { status: { in: cutOffStatuses } } } } },
      ],
    },
    orderBy: { actionExpiresAt: 'asc' },
    take: batchMax,
  });
  for (const state of due)
    await endChallenge(services, state, outcomeDetailsOf(services)).catch((error: unknown) =>
      logOpen(services, error, state.payment.id),
    );
  return due.length;
}

function logOpen({ log }: Services, error: unknown, paymentId: string): void {
  log.warn({ err: error, paymentId }, 'A challenge could not be ended yet.');
}

/**
 * Ends a payment whose challenge is no longer to be answered, as if it had expired. An answer that was faster counts.
 */
export async function abandonChallenge(services: Services, paymentId: string): Promise<void> {
  const state = await requirePayment(services.prisma, { id: paymentId });
  if (state.payment.subStatus === 'requires_action') await endChallenge(services, state, outcomeDetailsOf(services));
}
