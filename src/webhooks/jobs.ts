import type { Env } from '../env.ts';
import { attempt } from './attempt.ts';
import { takeFirstOnClocks } from './clock-statements.ts';
import { oldestDueS, type TakenDelivery, takeDueDeliveries } from './delivery-statements.ts';

/** All that one process has in flight, over all endpoints. */
const inFlightMax = 300;
/** Of these, for test clocks: nobody's tests keep others waiting. */
const onClocksMax = 20;
/** How often new work is looked for while some is in flight. */
const lookEveryMs = 250;
/** Places that become free at about the same time are filled by one look. */
const gatherMs = 5;
/** Of the time a stop may take, what attempts in flight get to end by themselves. */
const stopGraceMs = 700;

/**
 * Delivers what is due, and what becomes due meanwhile, until nothing is in flight any more. Each delivery is leased before it is
 * sent, so of several processes one sends it, and when that one dies the lease runs out and another goes on.
 */
export async function deliverWebhooks(env: Env, stopping: AbortSignal = never): Promise<number> {
  const flights = new Set<Promise<void>>();
  const byEndpoint = new Map<string, number>();
  const cutOff = new AbortController();
  const stop = () => void setTimeout(() => cutOff.abort(), stopGraceMs).unref();
  stopping.addEventListener('abort', stop, { once: true });
  let onClocks = 0;
  let sent = 0;

  function fly(taken: TakenDelivery): void {
    const { endpointId, testClockId } = taken;
    if (testClockId !== null) onClocks++;
    byEndpoint.set(endpointId, (byEndpoint.get(endpointId) ?? 0) + 1);
    const flight = attempt(env, taken, { cutOff: cutOff.signal, hurried: false })
      // The lease runs out, and the delivery is found again.
      .catch((error: unknown) =>
        env.log.warn({ err: error, deliveryId: taken.id }, 'An attempt at a webhook could not be written down.'),
      )
      .finally(() => {
        flights.delete(flight);
        if (testClockId !== null) onClocks--;
        const left = (byEndpoint.get(endpointId) ?? 1) - 1;
        if (left > 0) byEndpoint.set(endpointId, left);
        else byEndpoint.delete(endpointId);
      });
    flights.add(flight);
  }

  try {
    for (;;) {
      const free = inFlightMax - flights.size;
      const taken = stopping.aborted || free === 0 ? [] : await takeSome(env, free, byEndpoint, onClocksMax - onClocks);
      sent += taken.length;
      taken.forEach(fly);
      if (flights.size === 0) return sent;
      await Promise.race([...flights, after(lookEveryMs)]);
      await after(gatherMs);
    }
  } finally {
    stopping.removeEventListener('abort', stop);
    await Promise.all(flights);
  }
}

/** What is due in real time, and the first attempts on test clocks where there is room for more. */
async function takeSome(
  { pool, clock }: Env,
  free: number,
  byEndpoint: ReadonlyMap<string, number>,
  freeOnClocks: number,
): Promise<TakenDelivery[]> {
  const due = await takeDueDeliveries(pool, clock.real(), free, byEndpoint);
  const room = Math.min(free - due.length, freeOnClocks);
  return room > 0 ? [...due, ...(await takeFirstOnClocks(pool, clock.real(), room))] : due;
}

export async function measureWebhooks({
  pool,
  clock,
  metrics,
}: Pick<Env, 'pool' | 'clock' | 'metrics'>): Promise<void> {
  metrics.webhooksWaiting(await oldestDueS(pool, clock.now()));
}

const never = new AbortController().signal;

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
