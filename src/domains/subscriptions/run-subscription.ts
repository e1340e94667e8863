import { mayCharge } from '../../auth/standing.ts';
import { Forbidden } from '../../kit/errors.ts';
import { type Write, write } from '../../write/write.ts';
import { abandonChallenge } from '../payments/public.ts';
import { atClockTime } from '../test-clocks/public.ts';
import { type ActorContext, writerOf } from './actor-context.ts';
import { applyPeriodOutcome } from './apply-period-outcome.ts';
import { applyScheduledChange } from './change-interval.ts';
import { chargeOpenPeriod, followPayment } from './charge-period.ts';
import { dueTimeOf, incompleteMs, noticeTimeOf } from './lifecycle.ts';
import { openPeriod, reopenPeriod } from './open-period.ts';
import { periodAfter, periodFrom } from './period-rows.ts';
import { resume } from './resume-subscription.ts';
import { end, lockUnlessTaken, save } from './subscription-rows.ts';
import type { SubscriptionRow } from './types.ts';
import { standingWithin } from './withheld-charges.ts';
import { withholdCharge } from './withhold-charge.ts';

/** A subscription that was not run for a long time is continued by the next run of the job. */
const stepsMax = 500;
/** After this time another process takes over a charge whose process died. */
export const leaseMs = 30_000;

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
  const by = { ...given, tenant: found?.platformAccountId ?? null };
  return atClockTime(services, found?.testClockId ?? null, async () => {
    let done = 0;
    while (done < stepsMax) {
      const next = await write(writerOf(by), 'runSubscription', (change) => step(change, subscriptionId)).catch(
        async (error: unknown) => {
          if (!(error instanceof Forbidden)) throw error;
          await withholdCharge(by, subscriptionId);
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
  const { passed: now } = change;
  const subscription = await lockUnlessTaken(change.tx, subscriptionId);
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
    return nextStepAfter(await openPeriod(change, subscription, periodFrom(subscription, currentPeriodEnd)));
  if (status === 'active' && currentPeriodEnd <= now) {
    const changed = await applyScheduledChange(change, subscription);
    const place = changed === subscription ? periodAfter(subscription) : periodFrom(changed, currentPeriodEnd);
    return nextStepAfter(await openPeriod(change, changed, place));
  }
  if (status === 'past_due' && nextRetryAt !== null && nextRetryAt <= now)
    return nextStepAfter(await reopenPeriod(change, subscription));
  const notice = noticeTimeOf(subscription);
  if (notice !== null && notice <= now && mayCharge(await standingWithin(change.tx, subscription)))
    return nextStepAfter(
      await save(change, subscription, { noticedFor: currentPeriodEnd }, 'subscription/rebillUpcoming'),
    );
  // A charge that would not be made is not announced: the next thing to do is the charge itself.
  const dueAt = notice !== null && notice <= now ? currentPeriodEnd : dueTimeOf(subscription);
  await change.tx.subscription.update({ where: { id: subscriptionId }, data: { dueAt } });
  return 'rest';
}

function nextStepAfter({ chargingSince, status }: SubscriptionRow): Next {
  return chargingSince !== null && status !== 'canceled' ? 'charge' : 'again';
}

/** Longer than the process that opened a period can take to start its charge. */
const startMaxMs = 60_000;

/** The next step of a subscription whose charge is in progress. */
async function continueCharge(change: Write, subscription: SubscriptionRow, since: Date): Promise<Next> {
  const { tx, now } = change;
  const { id: subscriptionId, status } = subscription;
  const isCanceled = status === 'canceled';
  const isOver =
    isCanceled || (subscription.pendingExpiresAt !== null && subscription.pendingExpiresAt <= change.passed);
  const period = await tx.subscriptionPeriod.findFirstOrThrow({ where: { subscriptionId, status: 'charging' } });
  const payment = period.paymentId === null ? null : await tx.payment.findUnique({ where: { id: period.paymentId } });
  const at = async (dueAt: Date | null, next: Next): Promise<Next> => {
    await tx.subscription.update({ where: { id: subscriptionId }, data: { dueAt } });
    return next;
  };
  if (!payment && !isOver) return at(new Date(now.getTime() + leaseMs), 'charge');
  if (!payment) {
    // The charge was not started, and must not start after the cancellation, or when the change has expired.
    const until = new Date(since.getTime() + startMaxMs);
    if (now < until) return at(until, 'rest');
    await applyPeriodOutcome(change, subscription, period, { paid: false, paymentId: null, failureCode: null });
    return 'again';
  }
  if (payment.status !== 'pending') return 'follow';
  if (isCanceled && payment.subStatus === 'requires_action') return { challenged: payment.id };
  // The statement that records the outcome of the payment sets `dueAt` (follow-payments.ts).
  return at(null, 'rest');
}
