import { recordset } from '../../database/recordset.ts';
import { identifier, sql } from '../../database/sql.ts';
import type { PaymentFollower } from '../payments/public.ts';
import { runSubscription } from './periods/run-subscription.ts';

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
    const rows = ofPeriods.map(({ id, subscriptionId }) => ({ id, subscriptionId }));
    return [
      sql`subscription_woken AS (
        UPDATE subscriptions t
        SET "dueAt" = t."chargingSince"
        FROM ${identifier(guard)} g
        JOIN ${recordset('r', { id: 'text', subscriptionId: 'text' }, 'id', rows)} ON r.id = g.id
        WHERE t.id = r."subscriptionId" AND t."chargingSince" IS NOT NULL
      )`,
    ];
  },

  cancelParts: (subscriptionId, now, guard) => [
    sql`subscription_canceled AS (
      UPDATE subscriptions
      SET "cancelRequestedAt" = ${now}, "dueAt" = ${now}
      WHERE id = ${subscriptionId} AND status <> 'canceled' AND EXISTS (SELECT 1 FROM ${identifier(guard)})
    )`,
  ],

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
