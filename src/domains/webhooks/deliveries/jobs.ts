import { type Queryable, queryRow, sql } from '../../../database/sql.ts';
import type { ClockDriven } from '../../../domain.ts';
import { Slots } from '../../../lib/slots.ts';
import type { Services } from '../../../services.ts';
import { attemptDelivery } from './attempt.ts';
import { inFlightMax, type LeasedDelivery, leaseDueDeliveries, leaseDueOnClock, leaseFirstOnClocks } from './lease.ts';
import { notLeased } from './rows.ts';

/** Deliveries on test clocks that one process has in flight, and those of one owner. */
const onClocksMax = 20;
const onClocksOfOwnerMax = 5;
/** How often due deliveries are searched for while some are in flight. */
const pollMs = 250;
/** Attempts that end at about the same time are replaced by one query. */
const gatherMs = 5;
/** The part of the stop timeout in which attempts in flight may end by themselves. */
const stopGraceMs = 700;

/**
 * Delivers what is due, and what becomes due while it runs, until nothing is in flight. A delivery is leased before it
 * is sent, so that only one process sends it. When that process dies, the lease expires and another process continues.
 */
export async function deliverWebhooks(services: Services, stopping: AbortSignal = never): Promise<number> {
  const inFlight = new Set<Promise<void>>();
  const byEndpoint = new Map<string, number>();
  const cutOff = new AbortController();
  const stop = () => void setTimeout(() => cutOff.abort(), stopGraceMs).unref();
  stopping.addEventListener('abort', stop, { once: true });
  const onClocks = new Slots(onClocksMax);
  let sent = 0;

  function startAttempt(leased: LeasedDelivery): void {
    const { endpointId, ownerId, testClockId } = leased;
    const leave = testClockId === null ? null : onClocks.take([{ name: ownerId, most: onClocksOfOwnerMax }]);
    byEndpoint.set(endpointId, (byEndpoint.get(endpointId) ?? 0) + 1);
    const attempt = attemptDelivery(services, leased, { signal: cutOff.signal, hasShortTimeout: false })
      // The lease expires, and the delivery is found again.
      .catch((error: unknown) =>
        services.log.warn(
          { err: error, deliveryId: leased.id },
          'The result of a webhook attempt could not be stored. The delivery will be sent again.',
        ),
      )
      .finally(() => {
        inFlight.delete(attempt);
        leave?.();
        const left = (byEndpoint.get(endpointId) ?? 1) - 1;
        if (left > 0) byEndpoint.set(endpointId, left);
        else byEndpoint.delete(endpointId);
      });
    inFlight.add(attempt);
  }

  try {
    for (;;) {
      const wasIdle = inFlight.size === 0;
      const free = inFlightMax - inFlight.size;
      const leased = stopping.aborted || free === 0 ? [] : await leaseNext(services, free, byEndpoint, onClocks);
      sent += leased.length;
      leased.forEach(startAttempt);
      if (inFlight.size === 0) {
        if (wasIdle || stopping.aborted) return sent;
        // The last ones ended during the query, for which their endpoints were at their limit.
        continue;
      }
      await Promise.race([...inFlight, delay(pollMs)]);
      await delay(gatherMs);
    }
  } finally {
    stopping.removeEventListener('abort', stop);
    await Promise.all(inFlight);
  }
}

/** Leases what is due in real time and, if there is room, first attempts on test clocks. */
async function leaseNext(
  { pool, clock }: Services,
  free: number,
  byEndpoint: ReadonlyMap<string, number>,
  onClocks: Slots,
): Promise<LeasedDelivery[]> {
  const due = await leaseDueDeliveries(pool, clock.real(), free, byEndpoint);
  const room = Math.min(free - due.length, onClocks.left, onClocksOfOwnerMax);
  if (room <= 0) return due;
  return [...due, ...(await leaseFirstOnClocks(pool, clock.real(), room, onClocks.fullNames(onClocksOfOwnerMax)))];
}

const never = new AbortController().signal;

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

export async function measureWebhooks({
  pool,
  clock,
  metrics,
}: Pick<Services, 'pool' | 'clock' | 'metrics'>): Promise<void> {
  metrics.webhooksWaiting(await oldestDueS(pool, clock.earliest()));
}

/** How many seconds the oldest delivery that could be sent has been waiting. */
async function oldestDueS(database: Queryable, now: Date): Promise<number> {
  const row = await queryRow<{ at: Date | null }>(
    database,
    sql`
SELECT min(t."nextAttemptAt") AS at
FROM webhook_deliveries t
WHERE t."nextAttemptAt" <= ${now} AND t."testClockId" IS NULL AND ${notLeased(now)}`,
  );
  return row?.at ? Math.max(0, (now.getTime() - row.at.getTime()) / 1000) : 0;
}

/** How many deliveries one step sends concurrently. */
const atOnceMax = 20;

/**
 * Webhooks about objects on a test clock. Their retries wait for the clock's time. While the clock is advanced, first
 * attempts are made here as well, so that a receiver gets events in the order in which they happened. A receiver whose
 * last attempt timed out gets a short timeout until it answers again, so that it does not delay the advance.
 */
export const clockDrivenWebhooks: ClockDriven = {
  name: 'webhooks',
  async nextDue({ pool }, testClockId) {
    // On an ordered endpoint, a delivery that waits for an earlier event of its object is not due.
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
