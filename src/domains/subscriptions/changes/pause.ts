import type { TenantContext } from '../../../call/context.ts';
import { Conflict, invalid } from '../../../lib/errors.ts';
import { type Write, write } from '../../../unit-of-work/write.ts';
import type { PauseSubscriptionInput } from '../inputs.ts';
import { chargedCall } from '../periods/charge-period.ts';
import { openPeriod, reopenPeriod } from '../periods/open-period.ts';
import { firstSlotFrom, periodAfter } from '../periods/periods.ts';
import { afterPause, nextStatus, type PauseEnd } from '../subscription/lifecycle.ts';
import {
  atSubscriptionsTime,
  auditChange,
  chargeInProgressError,
  lockSubscription,
  save,
  wrongState,
} from '../subscription/rows.ts';
import { assertMayBeCharged } from '../subscription/terms.ts';
import type { SubscriptionRow } from '../types.ts';
import { applyScheduledChange, paidPeriods } from './price.ts';

const pauseDaysMax = 1_096;

/** Stops billing until the subscription is resumed. */
export function pauseSubscription(
  context: TenantContext,
  { subscriptionId, resumeAt }: typeof PauseSubscriptionInput.$inferInput,
): Promise<SubscriptionRow> {
  return atSubscriptionsTime(context, subscriptionId, () =>
    write(context, 'pauseSubscription', async (change) => {
      const latest = new Date(change.now.getTime() + pauseDaysMax * 86_400_000);
      // An error of the request itself comes before one that depends on rows (docs/errors-and-limits.md, 5).
      if (resumeAt != null && (resumeAt <= change.now || resumeAt > latest))
        throw invalid('resumeAt', `must be in the future, at most ${pauseDaysMax} days from now`);
      const before = await lockSubscription(change.tx, context.tenant, subscriptionId);
      const status = nextStatus(before.status, 'paused');
      if (!status) throw wrongState(before, 'paused');
      if (before.chargingSince !== null) throw chargeInProgressError(before);
      const paused = { status, pausedAt: change.now, resumeAt: resumeAt ?? null };
      const after = await save(change, before, paused, 'subscription/paused');
      auditChange(context, change, before, after);
      return after;
    }),
  );
}

/** Ends a pause or revokes a scheduled cancellation. If the paid period has ended, a new one starts and is charged. */
export function resumeSubscription(context: TenantContext, subscriptionId: string): Promise<SubscriptionRow> {
  return atSubscriptionsTime(context, subscriptionId, () =>
    chargedCall(context, 'resumeSubscription', async (change) => {
      const before = await lockSubscription(change.tx, context.tenant, subscriptionId);
      const after = await resumeOrKeep(change, before);
      auditChange(context, change, before, after);
      return after;
    }),
  );
}

function resumeOrKeep(change: Write, before: SubscriptionRow): Promise<SubscriptionRow> {
  if (before.status === 'paused') return resume(change, before, change.now, 'call');
  if (before.status === 'canceled' || !before.cancelAtPeriodEnd) throw wrongState(before, 'resumed');
  return save(change, before, { cancelAtPeriodEnd: false }, 'subscription/resumed');
}

/** Resumes a paused subscription now, or at the `resumeAt` that was set when it was paused. */
export async function resume(
  change: Write,
  before: SubscriptionRow,
  at: Date,
  endedBy: PauseEnd,
): Promise<SubscriptionRow> {
  const resumed = await save(change, before, afterPause(endedBy), 'subscription/resumed');
  if (before.currentPeriodEnd > at) return resumed;
  const changed = await applyScheduledChange(change, resumed);
  return openPeriod(change, changed, firstSlotFrom(changed, at));
}

/** Makes the next charge of a subscription now. */
export function rebillSubscription(context: TenantContext, subscriptionId: string): Promise<SubscriptionRow> {
  return atSubscriptionsTime(context, subscriptionId, () =>
    chargedCall(context, 'rebillSubscription', async (change) => {
      const { tx, now } = change;
      const before = await lockSubscription(tx, context.tenant, subscriptionId);
      const { status, currentPeriodStart, currentPeriodEnd, anchorAt, cycle, periodIndex } = before;
      if (before.chargingSince !== null) throw chargeInProgressError(before);
      if (status === 'paused' || status === 'canceled' || before.cancelAtPeriodEnd) throw wrongState(before, 'charged');
      await assertMayBeCharged(tx, before.platformAccountId);
      if (status === 'incomplete' || status === 'past_due') return reopenPeriod(change, before);
      if (status === 'trialing') return openPeriod(change, before, firstSlotFrom(before, now));
      // The subscription was created without a charge of its first period.
      if (periodIndex === 0)
        return openPeriod(change, before, {
          index: 1,
          startsAt: currentPeriodStart,
          endsAt: currentPeriodEnd,
          anchorAt,
          cycle,
        });
      if ((await paidPeriods(change, before, now)).some(({ startsAt }) => startsAt > now))
        throw new Conflict('invalid_state', 'The next period is already paid.');
      if (before.pendingPriceId !== null)
        throw new Conflict(
          'invalid_state',
          'The next period has another price: cancel the scheduled change, or wait for it.',
        );
      return openPeriod(change, before, periodAfter(before));
    }),
  );
}
