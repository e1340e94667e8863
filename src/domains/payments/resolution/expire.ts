import { blockedPartnerStatuses } from '../../../auth/charging-status.ts';
import { servedModes } from '../../../auth/modes.ts';
import { constant, queryRow, sql } from '../../../database/sql.ts';
import type { ClockDriven } from '../../../domain.ts';
import { claimDue, claimedIsDone, dueColumns, mayRetry, notSaturated } from '../../../jobs/leases.ts';
import { type Due, runDueRows, type Saturated } from '../../../jobs/run-due-rows.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import { endChallenge } from '../challenge/continue-payment.ts';
import { outcomeDetailsOf } from '../charge/commit-outcome.ts';
import { commitModificationEnd, commitModificationIntent } from '../modification/commit.ts';
import { type Modification, modificationIntentOf, requireAllowed } from '../modification/decide.ts';
import { recordedByJob } from '../payment/follower.ts';
import { stateColumns } from '../payment/lifecycle.ts';
import { expiryAmount } from '../payment/policy.ts';
import { modifyAtProcessor } from '../payment/processor.ts';
import { authorizationReferenceOf, findPayments, type PaymentOfAccount, requirePayment } from '../payment/rows.ts';
import { failTestRefundsOn, nextTestRefundFailureOn } from './notices.ts';
import { resolveUnknownPaymentsOfClock } from './resolve.ts';

const authorizationsJob = 'expire-authorizations';
const batchMax = 100;
const processor = sql`p."processorId"`;

/**
 * Voids authorizations that were not captured in time, at the processor and in the platform. One that cannot be voided
 * is retried with backoff. Those on test clocks expire when their clock is advanced.
 */
export function expireAuthorizations(services: Services, stopping: AbortSignal = never): Promise<number> {
  return runDueRows<Due & PaymentOfAccount>({
    lease: (full) => leaseExpired(services, full),
    async run(payment) {
      await expireAuthorization(services, payment, services.clock.earliest());
      await claimedIsDone(services.pool, authorizationsJob, payment.id);
    },
    // If the void was started, its unknown outcome is resolved by a job.
    failed: (error, { id: paymentId }) =>
      services.log.warn({ err: error, paymentId }, 'An expired authorization could not be voided yet.'),
    stopping,
  });
}

const never = new AbortController().signal;

function leaseExpired({ pool, clock, config }: Services, full: Saturated): Promise<(Due & PaymentOfAccount)[]> {
  const [now, earliest] = [clock.now(), clock.earliest()];
  const due = sql`
    SELECT ${dueColumns('p', processor)}
    FROM payments p
    WHERE p."subStatus" = 'authorized' AND p."authorizationExpiresAt" <= ${earliest} AND p."testClockId" IS NULL
      AND ${notSaturated(full, 'p', processor)}
      AND ${mayRetry(authorizationsJob, sql`p.id`, now)}
      ${servedModes(config, sql`p.mode`)}
    ORDER BY p."authorizationExpiresAt"
    LIMIT ${constant(batchMax)}`;
  return claimDue(pool, authorizationsJob, due, now);
}

/** Voids the expired authorizations on one test clock, at its time. Throws if one cannot be voided. */
async function expireAuthorizationsOf(services: Services, testClockId: string): Promise<number> {
  const now = services.clock.earliest();
  const due = await services.prisma.payment.findMany({
    where: { testClockId, subStatus: 'authorized', authorizationExpiresAt: { lte: now } },
    orderBy: [{ authorizationExpiresAt: 'asc' }, { id: 'asc' }],
    select: { id: true, platformAccountId: true },
    take: batchMax,
  });
  for (const payment of due) await expireAuthorization(services, payment, now);
  return due.length;
}

async function expireAuthorization(services: Services, expired: PaymentOfAccount, now: Date): Promise<void> {
  const { pool, clock } = services;
  const request: Modification = {
    type: 'void',
    paymentId: expired.id,
    intend: ({ payment }) => ({ amount: requireAllowed(expiryAmount(payment, now)), payment: stateColumns.processing }),
  };
  const transactionId = newId('txn_', now);
  const { platformAccountId } = expired;
  const reserved = await commitModificationIntent(
    services,
    { recordKey: null, platformAccountId, tenant: sql`true` },
    request,
    (before) => modificationIntentOf(request, before, transactionId, clock),
  );
  if (!reserved) return;
  const { transaction, state } = reserved;
  const outcome = await modifyAtProcessor(services, transaction, authorizationReferenceOf(state));
  const by = recordedByJob(services, authorizationsJob);
  await commitModificationEnd(pool, by, expired, transactionId, outcome);
}

const challengesJob = 'expire-challenges';
const challengesMax = 50;

/**
 * Ends payments whose challenge has expired, and those of partners that were suspended or offboarded meanwhile, since
 * an answered challenge takes money. A challenge that cannot be closed at its processor stays open, and is retried with
 * backoff. Challenges on test clocks expire when their clock is advanced.
 */
export function expireChallenges(services: Services, stopping: AbortSignal = never): Promise<number> {
  return runDueRows<Due>({
    lease: (full) => leaseExpiredChallenges(services, full),
    async run({ id }) {
      await abandonChallenge(services, id);
      await claimedIsDone(services.pool, challengesJob, id);
    },
    failed: (error, { id: paymentId }) => logOpen(services, error, paymentId),
    stopping,
  });
}

function leaseExpiredChallenges({ pool, clock, config }: Services, full: Saturated): Promise<Due[]> {
  const now = clock.now();
  const due = sql`
    SELECT ${dueColumns('p', processor)}
    FROM payments p
    JOIN partners o ON o.id = p."partnerId"
    WHERE p.status = 'pending' AND p."subStatus" = 'requires_action' AND p."testClockId" IS NULL
      AND (p."actionExpiresAt" <= ${clock.earliest()} OR o.status = ANY(${blockedPartnerStatuses}::text[]))
      AND ${notSaturated(full, 'p', processor)}
      AND ${mayRetry(challengesJob, sql`p.id`, now)}
      ${servedModes(config, sql`p.mode`)}
    ORDER BY p."actionExpiresAt"
    LIMIT ${constant(challengesMax)}`;
  return claimDue(pool, challengesJob, due, now);
}

/** Ends payments of one test clock whose challenge has expired at its time. */
async function expireChallengesOf(services: Services, testClockId: string): Promise<number> {
  const due = await findPayments(services.prisma, {
    where: {
      testClockId,
      ...(services.config.sandbox && { mode: 'test' }),
      status: 'pending',
      subStatus: 'requires_action',
      OR: [
        { actionExpiresAt: { lte: services.clock.earliest() } },
        { store: { account: { partner: { status: { in: blockedPartnerStatuses } } } } },
      ],
    },
    orderBy: { actionExpiresAt: 'asc' },
    take: challengesMax,
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
 * Ends a payment whose challenge may no longer be answered, as if it had expired. If the cardholder has answered
 * before, that outcome is recorded.
 */
export async function abandonChallenge(services: Services, paymentId: string): Promise<void> {
  const state = await requirePayment(services.prisma, { id: paymentId });
  if (state.payment.subStatus === 'requires_action') await endChallenge(services, state, outcomeDetailsOf(services));
}

/**
 * Payments of customers on a test clock: authorizations and challenges expire, and test refunds fail, at its time. An
 * unknown outcome is resolved immediately, since it belongs to the time of its charge and everything later on the clock
 * depends on it.
 */
export const clockDrivenPayments: ClockDriven = {
  name: 'payments',
  async nextDue(services, testClockId) {
    const next = await queryRow<{ at: Date | null }>(
      services.pool,
      sql`
        SELECT min(
          CASE
            WHEN t.id IS NOT NULL THEN t."createdAt"
            WHEN p."subStatus" = 'requires_action' THEN p."actionExpiresAt"
            ELSE p."authorizationExpiresAt"
          END
        ) AS at
        FROM payments p
        LEFT JOIN transactions t ON t."paymentId" = p.id AND t.status = 'processing'
        WHERE p."testClockId" = ${testClockId}
          AND (t.id IS NOT NULL OR p."subStatus" IN ('requires_action', 'authorized'))`,
    );
    const refundFails = await nextTestRefundFailureOn(services, testClockId);
    return next?.at && refundFails
      ? new Date(Math.min(next.at.getTime(), refundFails.getTime()))
      : (next?.at ?? refundFails);
  },
  async runDue(services, testClockId) {
    return (
      (await resolveUnknownPaymentsOfClock(services, testClockId)) +
      (await expireChallengesOf(services, testClockId)) +
      (await expireAuthorizationsOf(services, testClockId)) +
      (await failTestRefundsOn(services, testClockId))
    );
  },
};
