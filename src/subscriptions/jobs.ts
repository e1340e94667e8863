import type { Env } from '../env.ts';
import type { ClockDriven } from '../kit/clock-driven.ts';
import { write, type Write } from '../kit/write.ts';
import { abandonChallenge } from '../payments/jobs.ts';
import { atClockTime } from '../test-clocks/operations.ts';
import { resume } from './change-subscription.ts';
import {
  chargeOpenPeriod,
  type Doer,
  followPayment,
  openPeriod,
  periodAfter,
  periodFrom,
  reopenPeriod,
  writerOf,
} from './charge-period.ts';
import { dueTimeOf, incompleteMs, noticeTimeOf } from './lifecycle.ts';
import { settlePeriod } from './settle-period.ts';
import { end, lockUnlessTaken, save } from './subscription-records.ts';
import type { SubscriptionRow } from './types.ts';

const batchMax = 50;
const atOnce = 4;
/** A subscription that was left alone for long goes on at the next pass. */
const stepsMax = 500;
/** What a process that died had taken is free again after it. */
const leaseMs = 30_000;

/** Renews, retries, announces and ends what is due by the real time. What lives by a test clock is that clock's to run. */
export async function runDueSubscriptions(env: Env, stopping: AbortSignal = never): Promise<number> {
  for (let done = 0; ; ) {
    const now = env.clock.now();
    const due = await env.pool.query<{ id: string }>({
      name: 'subscriptions-due',
      text: takeDue,
      values: [now, new Date(now.getTime() + leaseMs)],
    });
    const waiting = due.rows.map(({ id }) => id);
    done += waiting.length;
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let id = waiting.pop(); id !== undefined && !stopping.aborted; id = waiting.pop()) {
          const subscriptionId = id;
          // It is found again when the lease is over, and does not stand in the way of the others.
          await runSubscription(jobOf(env), id).catch((error: unknown) =>
            env.log.warn({ err: error, subscriptionId }, 'A subscription could not be gone on with yet.'),
          );
        }
      }),
    );
    if (due.rows.length === batchMax && !stopping.aborted) continue;
    for (const { id } of (
      await env.pool.query<{ id: string }>({ name: 'subscriptions-left-on-test-clocks', text: leftOnTestClocks })
    ).rows)
      await runSubscription(jobOf(env), id);
    return done;
  }
}

const never = new AbortController().signal;

/** Those taken are due again a little later: another server leaves them alone meanwhile. */
const takeDue = `UPDATE subscriptions SET "dueAt" = $2 WHERE id IN (
  SELECT id FROM subscriptions WHERE "testClockId" IS NULL AND "dueAt" <= $1 ORDER BY "dueAt" LIMIT ${batchMax} FOR NO KEY UPDATE SKIP LOCKED)
RETURNING id`;

// A charge that a payment's end has woken, or whose server died, on a clock that nobody advances.
const leftOnTestClocks = `SELECT s.id FROM subscriptions s JOIN test_clocks c ON c.id = s."testClockId"
WHERE s."testClockId" IS NOT NULL AND s."chargingSince" IS NOT NULL AND s."dueAt" <= c.now AND c.status = 'ready' LIMIT ${batchMax}`;

/** When a test clock has to stop next for its subscriptions. */
async function nextDueSubscription({ pool }: Env, testClockId: string): Promise<Date | null> {
  const { rows } = await pool.query<{ at: Date | null }>({
    name: 'subscriptions-next-due',
    text: 'SELECT min("dueAt") AS at FROM subscriptions WHERE "testClockId" = $1 AND "dueAt" IS NOT NULL',
    values: [testClockId],
  });
  return rows[0]?.at ?? null;
}

/** Does what is due by a test clock, in the order of time. */
async function runDueOf(env: Env, testClockId: string, at: Date): Promise<number> {
  const { rows } = await env.pool.query<{ id: string }>({
    name: 'subscriptions-due-by-test-clock',
    text: 'SELECT id FROM subscriptions WHERE "testClockId" = $1 AND "dueAt" <= $2 ORDER BY "dueAt", id',
    values: [testClockId, at],
  });
  let done = 0;
  for (const { id } of rows) done += await runSubscription(jobOf(env), id);
  return done;
}

/** Subscriptions of customers on a test clock. */
export const clockDrivenSubscriptions: ClockDriven = {
  name: 'subscriptions',
  nextDue: nextDueSubscription,
  runDue: runDueOf,
};

function jobOf(env: Env): Doer {
  return {
    env,
    actor: { kind: 'system', id: 'renew-subscriptions' },
    requestId: `job_renew-subscriptions_${env.clock.now().getTime()}`,
    ip: '',
  };
}

/** Does all that is due for a subscription, at its own time, one step after the other, each committed before the next. Tells how many there were. */
export async function runSubscription(by: Doer, subscriptionId: string): Promise<number> {
  const { env } = by;
  const found = await env.prisma.subscription.findUnique({
    where: { id: subscriptionId },
    select: { testClockId: true },
  });
  return atClockTime(env, found?.testClockId ?? null, async () => {
    let done = 0;
    while (done < stepsMax) {
      const next = await write(writerOf(by), 'runSubscription', (change) => step(change, subscriptionId));
      if (next === 'rest') return done;
      done++;
      if (next === 'charge' && !(await chargeOpenPeriod(by, subscriptionId))) return done;
      if (typeof next === 'object') await abandonChallenge(env, next.challenged);
      if (next === 'follow' || typeof next === 'object') await followPayment(by, subscriptionId);
    }
    return done;
  });
}

type Next = 'rest' | 'again' | 'charge' | 'follow' | { challenged: string };

async function step(change: Write, subscriptionId: string): Promise<Next> {
  const { now } = change;
  const subscription = await lockUnlessTaken(change.tx, subscriptionId);
  if (!subscription) return 'rest';
  const { status, currentPeriodEnd, resumeAt, nextRetryAt } = subscription;
  if (subscription.cancelRequestedAt !== null && status !== 'canceled')
    return after(await end(change, subscription, 'refunded'));
  if (subscription.chargingSince !== null) return underWay(change, subscription, subscription.chargingSince);
  if (status === 'incomplete' && subscription.createdAt.getTime() + incompleteMs <= now.getTime())
    return after(await end(change, subscription, 'incomplete_expired'));
  if (subscription.cancelAtPeriodEnd && currentPeriodEnd <= now)
    return after(await end(change, subscription, 'period_ended'));
  if (status === 'paused' && resumeAt !== null && resumeAt <= now)
    return after(await resume(change, subscription, resumeAt));
  if (status === 'trialing' && currentPeriodEnd <= now)
    return after(await openPeriod(change, subscription, periodFrom(subscription, currentPeriodEnd)));
  if (status === 'active' && currentPeriodEnd <= now)
    return after(await openPeriod(change, subscription, periodAfter(subscription)));
  if (status === 'past_due' && nextRetryAt !== null && nextRetryAt <= now)
    return after(await reopenPeriod(change, subscription));
  const notice = noticeTimeOf(subscription);
  if (notice !== null && notice <= now)
    return after(await save(change, subscription, { noticedFor: currentPeriodEnd }, ['subscription/rebillUpcoming']));
  await change.tx.subscription.update({ where: { id: subscriptionId }, data: { dueAt: dueTimeOf(subscription) } });
  return 'rest';
}

function after({ chargingSince, status }: SubscriptionRow): Next {
  return chargingSince !== null && status !== 'canceled' ? 'charge' : 'again';
}

/** Longer than whoever opened a period can still be on the way to its charge. */
const beginMaxMs = 60_000;

/** A charge is under way: what can be done about it now. */
async function underWay(change: Write, subscription: SubscriptionRow, since: Date): Promise<Next> {
  const { tx, now } = change;
  const { id: subscriptionId, status } = subscription;
  const isCanceled = status === 'canceled';
  const period = await tx.subscriptionPeriod.findFirstOrThrow({ where: { subscriptionId, status: 'charging' } });
  const payment = period.paymentId === null ? null : await tx.payment.findUnique({ where: { id: period.paymentId } });
  const at = async (dueAt: Date | null, next: Next): Promise<Next> => {
    await tx.subscription.update({ where: { id: subscriptionId }, data: { dueAt } });
    return next;
  };
  if (!payment && !isCanceled) return at(new Date(now.getTime() + leaseMs), 'charge');
  if (!payment) {
    // Its charge never began, and now it does not.
    const until = new Date(since.getTime() + beginMaxMs);
    if (now < until) return at(until, 'rest');
    await settlePeriod(change, subscription, period, {
      paid: false,
      paymentId: null,
      failureCode: null,
      isAbandoned: true,
    });
    return 'again';
  }
  if (payment.status !== 'pending') return 'follow';
  if (isCanceled && payment.subStatus === 'requires_action') return { challenged: payment.id };
  // The statement that settles the payment says that there is something to do here.
  return at(null, 'rest');
}
