import { queryRow, sql } from '../../database/sql.ts';
import type { ClockDriven } from '../../ports/clock-driven.ts';
import { expireAuthorizationsOf } from './expire-authorizations.ts';
import { expireChallengesOf } from './expire-challenges.ts';
import { failTestRefundsOn, nextTestRefundFailureOn } from './fail-test-refunds.ts';
import { resolveUnknownPaymentsOfClock } from './resolve-unknown-payments.ts';

/**
 * Payments of customers on a test clock: authorizations and challenges expire, and test refunds fail, at its time. An
 * unknown outcome is resolved at once, since it belongs to the time of its charge and everything later on the clock
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
