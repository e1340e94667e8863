import { sql } from '../../database/sql.ts';
import type { PaymentFollower } from '../payments/public.ts';
import { runSubscription } from './periods/run-subscription.ts';
import { cancelRequestedPart, wokenPart } from './subscription/rows.ts';

/** Makes a subscription due when the charge of its period has an outcome, and when a refund cancels it. */
export const subscriptionFollower: PaymentFollower = {
  // False if the subscription was canceled, or the period charged otherwise, after the period was opened.
  beginConditions: (paymentId) => [
    sql`EXISTS (
    SELECT 1
    FROM subscription_periods o
    JOIN subscriptions s ON s.id = o."subscriptionId"
    WHERE o."paymentId" = ${paymentId} AND o.status = 'charging'
      AND s.status <> 'canceled' AND s."cancelRequestedAt" IS NULL
  )`,
  ],

  outcomeParts(payments, guard) {
    const ofPeriods = payments.filter(({ subscriptionPeriod }) => subscriptionPeriod !== null);
    if (ofPeriods.length === 0) return [];
    return [wokenPart(ofPeriods, guard)];
  },

  cancelParts: (subscriptionId, now, guard) => [cancelRequestedPart(subscriptionId, now, guard)],

  async follow(context, { subscriptionId }) {
    if (subscriptionId === null) return;
    await runSubscription(context, subscriptionId).catch((error: unknown) =>
      context.services.log.warn(
        { err: error, subscriptionId },
        'A subscription could not be updated after its payment. The job will repeat it.',
      ),
    );
  },
};
