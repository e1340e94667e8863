import { mayCharge } from '../../../auth/charging-status.ts';
import { servedModes } from '../../../auth/modes.ts';
import { constant, queryRows, sql } from '../../../database/sql.ts';
import type { ClockDriven } from '../../../domain.ts';
import { dueColumns, notSaturated } from '../../../jobs/leases.ts';
import { type Due, leaseOnce, runDueRows, type Saturated } from '../../../jobs/run-due-rows.ts';
import { Forbidden } from '../../../lib/errors.ts';
import type { Services } from '../../../services.ts';
import { type Write, write } from '../../../unit-of-work/write.ts';
import { abandonChallenge } from '../../payments/public.ts';
import { atClockTime } from '../../test-clocks/public.ts';
import { resume } from '../changes/pause.ts';
import { applyScheduledChange } from '../changes/price.ts';
import { deferCharge } from '../deferred/defer-charge.ts';
import { chargingStatusWithin } from '../deferred/deferred-charges.ts';
import { dueTimeOf, incompleteMs, noticeTimeOf } from '../subscription/lifecycle.ts';
import { type ActorContext, end, lockOrSkip, save, setDueAt, writerOf } from '../subscription/rows.ts';
import type { SubscriptionRow } from '../types.ts';
import { chargeOpenPeriod, followPayment } from './charge-period.ts';
import { applyPeriodOutcome, openPeriod, reopenPeriod } from './open-period.ts';
import { firstSlotFrom, periodAfter } from './periods.ts';

/** If a subscription has more due steps, the next run of the job continues. */
const stepsMax = 500;
/** After this time another process takes over a charge whose process died. */
const leaseMs = 30_000;

/**
 * Runs all due steps of a subscription at the time of its test clock, each committed before the next. Returns the
 * number of steps.
 */
export async function runSubscription(given: ActorContext, subscriptionId: string): Promise<number> {
  const { services } = given;
  const found = await services.prisma.subscription.findUnique({
    where: { id: subscriptionId },
    select: { testClockId: true, platformAccountId: true },
  });
  const by = { ...given, lockQueue: found?.platformAccountId ?? null };
  return atClockTime(services, found?.testClockId ?? null, async () => {
    let done = 0;
    while (done < stepsMax) {
      const next = await write(writerOf(by), 'runSubscription', (change) => step(change, subscriptionId)).catch(
        async (error: unknown) => {
          if (!(error instanceof Forbidden)) throw error;
          await deferCharge(by, subscriptionId);
          return 'rest' as const;
        },
      );
      if (next === 'rest') return done;
      done++;
      if (next === 'charge' && !(await chargeOpenPeriod(by, subscriptionId))) return done;
      if (typeof next === 'object') await abandonChallenge(services, next.challenged);
      if (next === 'follow' || typeof next === 'object') await followPayment(by, subscriptionId);
    }
    return done;
  });
}

type Next = 'rest' | 'again' | 'charge' | 'follow' | { challenged: string };

async function step(change: Write, subscriptionId: string): Promise<Next> {
  const { earliest: now } = change;
  const subscription = await lockOrSkip(change.tx, subscriptionId);
  if (!subscription) return 'rest';
  const { status, currentPeriodEnd, resumeAt, nextRetryAt } = subscription;
  if (subscription.cancelRequestedAt !== null && status !== 'canceled')
    return nextStepAfter(await end(change, subscription, 'refunded'));
  if (subscription.chargingSince !== null) return continueCharge(change, subscription, subscription.chargingSince);
  if (status === 'incomplete' && subscription.createdAt.getTime() + incompleteMs <= now.getTime())
    return nextStepAfter(await end(change, subscription, 'incomplete_expired'));
  if (subscription.cancelAtPeriodEnd && currentPeriodEnd <= now)
    return nextStepAfter(await end(change, subscription, 'period_ended'));
  if (status === 'paused' && resumeAt !== null && resumeAt <= now)
    return nextStepAfter(await resume(change, subscription, resumeAt, 'time'));
  if (status === 'trialing' && currentPeriodEnd <= now)
    return nextStepAfter(await openPeriod(change, subscription, firstSlotFrom(subscription, currentPeriodEnd)));
  if (status === 'active' && currentPeriodEnd <= now) {
    const changed = await applyScheduledChange(change, subscription);
    const place = changed === subscription ? periodAfter(subscription) : firstSlotFrom(changed, currentPeriodEnd);
    return nextStepAfter(await openPeriod(change, changed, place));
  }
  if (status === 'past_due' && nextRetryAt !== null && nextRetryAt <= now)
    return nextStepAfter(await reopenPeriod(change, subscription));
  const notice = noticeTimeOf(subscription);
  if (notice !== null && notice <= now && mayCharge(await chargingStatusWithin(change.tx, subscription)))
    return nextStepAfter(
      await save(change, subscription, { noticedFor: currentPeriodEnd }, 'subscription/rebillUpcoming'),
    );
  // A charge that would not be made is not announced: the next step is the charge itself.
  const dueAt = notice !== null && notice <= now ? currentPeriodEnd : dueTimeOf(subscription);
  await setDueAt(change, subscriptionId, dueAt);
  return 'rest';
}

function nextStepAfter({ chargingSince, status }: SubscriptionRow): Next {
  return chargingSince !== null && status !== 'canceled' ? 'charge' : 'again';
}

/** Longer than the process that opened a period may take to start its charge. */
const startMaxMs = 60_000;

/** The next step of a subscription whose charge is in progress. */
async function continueCharge(change: Write, subscription: SubscriptionRow, since: Date): Promise<Next> {
  const { tx, now } = change;
  const { id: subscriptionId, status } = subscription;
  const isCanceled = status === 'canceled';
  const isOver =
    isCanceled || (subscription.pendingExpiresAt !== null && subscription.pendingExpiresAt <= change.earliest);
  const period = await tx.subscriptionPeriod.findFirstOrThrow({ where: { subscriptionId, status: 'charging' } });
  const payment = period.paymentId === null ? null : await tx.payment.findUnique({ where: { id: period.paymentId } });
  const at = async (dueAt: Date | null, next: Next): Promise<Next> => {
    await setDueAt(change, subscriptionId, dueAt);
    return next;
  };
  if (!payment && !isOver) return at(new Date(now.getTime() + leaseMs), 'charge');
  if (!payment) {
    // The charge was not started, and must not start after the cancellation or the expiry of the change.
    const until = new Date(since.getTime() + startMaxMs);
    if (now < until) return at(until, 'rest');
    await applyPeriodOutcome(change, subscription, period, { paid: false, paymentId: null, failureCode: null });
    return 'again';
  }
  if (payment.status !== 'pending') return 'follow';
  if (isCanceled && payment.subStatus === 'requires_action') return { challenged: payment.id };
  // The statement that records the outcome of the payment sets `dueAt` (followers.ts).
  return at(null, 'rest');
}

const batchMax = 50;
const processor = sql`asked."processorId"`;

/**
 * Renews, retries, announces and ends subscriptions that are due in real time. Those on test clocks are run by their
 * clock.
 */
export async function runDueSubscriptions(services: Services, stopping: AbortSignal = never): Promise<number> {
  const run = ({ id }: Due) => runSubscription(jobOf(services), id);
  // The job finds it again when the lease has expired.
  const failed = (error: unknown, { id: subscriptionId }: Due) =>
    services.log.warn({ err: error, subscriptionId }, 'A subscription could not be run. It will run again.');
  const done = await runDueRows({ lease: (full) => leaseDue(services, full), run, failed, stopping });
  if (!stopping.aborted)
    await runDueRows({ lease: leaseOnce(await findLeftOnTestClocks(services)), run, failed, stopping });
  return done;
}

const never = new AbortController().signal;

/**
 * Leased subscriptions become due again later, so that other processes skip them until then. One that was never charged
 * counts as charged at the account's first connection.
 */
function leaseDue({ pool, config, clock }: Services, full: Saturated): Promise<Due[]> {
  const [now, earliest] = [clock.now(), clock.earliest()];
  return queryRows(
    pool,
    sql`
      WITH due AS MATERIALIZED (
        SELECT ${dueColumns('s', processor)}
        FROM subscriptions s
        LEFT JOIN payments p ON p.id = s."latestPaymentId"
        CROSS JOIN LATERAL (
          SELECT coalesce(p."processorId", (
            SELECT c.id
            FROM processors c
            WHERE c."platformAccountId" = s."platformAccountId" AND c.enabled
            ORDER BY c."createdAt", c.id
            LIMIT 1
          )) AS "processorId"
        ) asked
        WHERE s."testClockId" IS NULL AND s."dueAt" <= ${earliest} ${servedModes(config, sql`s.mode`)}
          AND ${notSaturated(full, 's', processor)}
        ORDER BY s."dueAt"
        LIMIT ${constant(batchMax)}
        FOR NO KEY UPDATE OF s SKIP LOCKED
      )
      UPDATE subscriptions t
      SET "dueAt" = ${new Date(now.getTime() + leaseMs)}
      FROM due
      WHERE t.id = due.id
      RETURNING due.*`,
  );
}

/** Charges on idle test clocks that are due because of the outcome of a payment, or whose process died. */
function findLeftOnTestClocks({ pool }: Services): Promise<Due[]> {
  return queryRows(
    pool,
    sql`
      SELECT ${dueColumns('s')}
      FROM subscriptions s
      JOIN test_clocks c ON c.id = s."testClockId"
      WHERE s."testClockId" IS NOT NULL
        AND s."chargingSince" IS NOT NULL
        AND s."dueAt" <= c.now
        AND c.status = 'ready'
      LIMIT ${constant(batchMax)}`,
  );
}

export function jobOf(services: Services): ActorContext {
  return {
    services,
    actor: { kind: 'system', id: 'renew-subscriptions' },
    requestId: `job_renew-subscriptions_${services.clock.now().getTime()}`,
    ip: '',
  };
}

/** Subscriptions of customers on a test clock. */
export const clockDrivenSubscriptions: ClockDriven = {
  name: 'subscriptions',
  nextDue: nextDueSubscription,
  runDue: runDueOf,
};

/** The next time at which a test clock must stop for its subscriptions. */
async function nextDueSubscription({ prisma }: Services, testClockId: string): Promise<Date | null> {
  const where = { testClockId, dueAt: { not: null } };
  const next = await prisma.subscription.findFirst({ where, orderBy: { dueAt: 'asc' }, select: { dueAt: true } });
  return next?.dueAt ?? null;
}

/** Runs the subscriptions that are due on a test clock, in the order of time. */
async function runDueOf(services: Services, testClockId: string, at: Date): Promise<number> {
  const due = await services.prisma.subscription.findMany({
    where: { testClockId, dueAt: { lte: at } },
    orderBy: [{ dueAt: 'asc' }, { id: 'asc' }],
    select: { id: true },
  });
  let done = 0;
  for (const { id } of due) done += await runSubscription(jobOf(services), id);
  return done;
}
