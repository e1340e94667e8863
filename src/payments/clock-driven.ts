import type { ClockDriven } from '../kit/clock-driven.ts';
import { expireAuthorizationsOf } from './follow-up-jobs.ts';
import { expireChallengesOf, settleUnknownOf } from './jobs.ts';

/**
 * Payments of customers on a test clock: holds and challenges end at their time. An outcome that is not known is asked for at
 * once: it belongs to the moment of its charge, and what comes later on the clock must find it.
 */
export const clockDrivenPayments: ClockDriven = {
  name: 'payments',
  async nextDue({ pool }, testClockId) {
    const { rows } = await pool.query<{ at: Date | null }>({
      name: 'payments-due-on-clock',
      text: nextDue,
      values: [testClockId],
    });
    return rows[0]?.at ?? null;
  },
  async runDue(env, testClockId) {
    return (
      (await settleUnknownOf(env, testClockId)) +
      (await expireChallengesOf(env, testClockId)) +
      (await expireAuthorizationsOf(env, testClockId))
    );
  },
};

const nextDue = `SELECT min(CASE WHEN t.id IS NOT NULL THEN t."createdAt" WHEN p."subStatus" = 'requires_action' THEN p."actionExpiresAt" ELSE p."authorizationExpiresAt" END) AS at
FROM payments p LEFT JOIN transactions t ON t."paymentId" = p.id AND t.status = 'processing'
WHERE p."testClockId" = $1 AND (t.id IS NOT NULL OR p."subStatus" IN ('requires_action', 'authorized'))`;
