import { queryRow, sql } from '../../database/sql.ts';
import type { ClockDriven } from '../../ports/clock-driven.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import { leaseDueOnClock } from './lease-clock-deliveries.ts';

/** How many deliveries one step sends at once. */
const atOnceMax = 20;
const never = new AbortController().signal;

/**
 * Webhooks about objects on a test clock. Their retries wait for the clock's time. While the clock is advanced, first
 * attempts are made here as well, so that a receiver gets events in the order in which they happened. A receiver whose
 * last attempt timed out gets a short timeout until it answers again, so that it does not hold up the advance.
 */
export const clockDrivenWebhooks: ClockDriven = {
  name: 'webhooks',
  async nextDue({ pool }, testClockId) {
    // On an ordered endpoint a delivery that waits for an earlier event of its object is not due.
    const row = await queryRow<{ at: Date | null }>(
      pool,
      sql`
SELECT min(t."nextAttemptAt") AS at
FROM webhook_deliveries t
JOIN webhook_endpoints w ON w.id = t."endpointId" AND w.enabled
WHERE t."testClockId" = ${testClockId}
  AND t."nextAttemptAt" IS NOT NULL
  AND (NOT w.ordered OR NOT EXISTS (
    SELECT 1
    FROM webhook_deliveries o
    WHERE o."endpointId" = t."endpointId"
      AND o."objectId" = t."objectId"
      AND o."nextAttemptAt" IS NOT NULL
      AND o.sequence < t.sequence
  ))`,
    );
    return row?.at ?? null;
  },
  async runDue(services, testClockId, at) {
    const leased = await leaseDueOnClock(services.pool, services.clock.real(), { testClockId, at }, atOnceMax);
    await Promise.all(
      leased.map((delivery) =>
        attemptDelivery(services, delivery, { signal: never, hasShortTimeout: delivery.leftUnanswered }),
      ),
    );
    return leased.length;
  },
};
