import type { KeyContext } from '../../graph/context.ts';
import { Conflict } from '../../kit/errors.ts';
import { chargedCall } from './charged-call.ts';
import { openPeriod, reopenPeriod } from './open-period.ts';
import { paidPeriods } from './paid-periods.ts';
import { periodAfter, periodFrom } from './period-rows.ts';
import { atSubscriptionsTime, chargeInProgressError, lockSubscription, wrongState } from './subscription-rows.ts';
import { assertMayBeCharged } from './subscription-terms.ts';
import type { SubscriptionRow } from './types.ts';

/** Makes the next charge of a subscription now. */
export function rebillSubscription(context: KeyContext, subscriptionId: string): Promise<SubscriptionRow> {
  return atSubscriptionsTime(context, subscriptionId, () =>
    chargedCall(context, 'rebillSubscription', async (change) => {
      const { tx, now } = change;
      const before = await lockSubscription(tx, context.caller, subscriptionId);
      const { status, currentPeriodStart, currentPeriodEnd, anchorAt, cycle, periodIndex } = before;
      if (before.chargingSince !== null) throw chargeInProgressError(before);
      if (status === 'paused' || status === 'canceled' || before.cancelAtPeriodEnd) throw wrongState(before, 'charged');
      await assertMayBeCharged(tx, before.platformAccountId);
      if (status === 'incomplete' || status === 'past_due') return reopenPeriod(change, before);
      if (status === 'trialing') return openPeriod(change, before, periodFrom(before, now));
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
        throw new Conflict('invalid_state', 'The next period is paid already.');
      if (before.pendingPriceId !== null)
        throw new Conflict(
          'invalid_state',
          'The next period has another price: take back the change that is scheduled for it, or wait for it.',
        );
      return openPeriod(change, before, periodAfter(before));
    }),
  );
}
