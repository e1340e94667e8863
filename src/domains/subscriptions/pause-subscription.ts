import type { KeyContext } from '../../graph/context.ts';
import { invalid } from '../../kit/errors.ts';
import { write } from '../../write/write.ts';
import { auditChange } from './audit-change.ts';
import type { PauseSubscriptionInput } from './inputs.ts';
import { nextStatus } from './lifecycle.ts';
import { atSubscriptionsTime, chargeInProgressError, lockSubscription, save, wrongState } from './subscription-rows.ts';
import type { SubscriptionRow } from './types.ts';

const pauseDaysMax = 1_096;

/** Stops billing until the subscription is resumed. */
export function pauseSubscription(
  context: KeyContext,
  { subscriptionId, resumeAt }: typeof PauseSubscriptionInput.$inferInput,
): Promise<SubscriptionRow> {
  return atSubscriptionsTime(context, subscriptionId, () =>
    write(context, 'pauseSubscription', async (change) => {
      const latest = new Date(change.now.getTime() + pauseDaysMax * 86_400_000);
      // An error of the request alone comes before one that depends on rows (docs/contract/05-errors.md).
      if (resumeAt != null && (resumeAt <= change.now || resumeAt > latest))
        throw invalid('resumeAt', `must be in the future, at most ${pauseDaysMax} days from now`);
      const before = await lockSubscription(change.tx, context.caller, subscriptionId);
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
