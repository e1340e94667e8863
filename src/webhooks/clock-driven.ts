import type { ClockDriven } from '../kit/clock-driven.ts';
import { attempt } from './attempt.ts';
import { takeDueOnClock } from './clock-statements.ts';

/** What one step sends at a time. */
const atOnceMax = 20;
const never = new AbortController().signal;

/**
 * Webhooks about objects on a test clock. Their retries wait for the clock's time; while it is advanced first attempts are made in
 * their turn, too, so that a receiver hears of things in the order in which they happened. A receiver that left its last attempt
 * unanswered is hurried until it answers again, so that one that never does holds up nobody's year.
 */
export const clockDrivenWebhooks: ClockDriven = {
  name: 'webhooks',
  async nextDue({ pool }, testClockId) {
    const { rows } = await pool.query<{ at: Date | null }>({
      name: 'webhooks-due-on-clock',
      text: nextDue,
      values: [testClockId],
    });
    return rows[0]?.at ?? null;
  },
  async runDue(env, testClockId, at) {
    const taken = await takeDueOnClock(env.pool, env.clock.real(), { testClockId, at }, atOnceMax);
    await Promise.all(
      taken.map((delivery) => attempt(env, delivery, { cutOff: never, hurried: delivery.leftUnanswered })),
    );
    return taken.length;
  },
};

// On an ordered endpoint what waits for an earlier event of its object is not due, whatever its own time is.
const nextDue = `SELECT min(t."nextAttemptAt") AS at FROM webhook_deliveries t JOIN webhook_endpoints w ON w.id = t."endpointId" AND w.enabled
WHERE t."testClockId" = $1 AND t."nextAttemptAt" IS NOT NULL AND (NOT w.ordered OR NOT EXISTS (
  SELECT 1 FROM webhook_deliveries o WHERE o."endpointId" = t."endpointId" AND o."objectId" = t."objectId" AND o."nextAttemptAt" IS NOT NULL AND o.sequence < t.sequence))`;
