import type { KeyContext } from '../../graph/context.ts';
import type { Write } from '../../write/write.ts';
import { auditChange } from './audit-change.ts';
import { applyScheduledChange } from './change-interval.ts';
import { chargedCall } from './charged-call.ts';
import { afterPause, type PauseEnd } from './lifecycle.ts';
import { openPeriod } from './open-period.ts';
import { periodFrom } from './period-rows.ts';
import { atSubscriptionsTime, lockSubscription, save, wrongState } from './subscription-rows.ts';
import type { SubscriptionRow } from './types.ts';

/** Ends a pause or revokes a scheduled cancellation. If the paid period has ended, a new one starts and is charged. */
export function resumeSubscription(context: KeyContext, subscriptionId: string): Promise<SubscriptionRow> {
  return atSubscriptionsTime(context, subscriptionId, () =>
    chargedCall(context, 'resumeSubscription', async (change) => {
      const before = await lockSubscription(change.tx, context.caller, subscriptionId);
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
  return openPeriod(change, changed, periodFrom(changed, at));
}
