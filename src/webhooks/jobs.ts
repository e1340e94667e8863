import type { Env } from '../env.ts';
import { platformVersion } from '../kit/config.ts';
import { commitDelivered, commitFailed, buryDeliveries, type EventRow, oldestDueS, releaseDelivery, type TakenDelivery, takeDueDeliveries } from './delivery-statements.ts';
import { isDelivered, isGone, nextAttemptAt } from './schedule.ts';
import { signedHeaders } from './signing.ts';

/** All that one process has in flight, over all endpoints. */
const inFlightMax = 300;
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
  let sent = 0;

  function fly(taken: TakenDelivery): void {
    const { endpointId } = taken;
    byEndpoint.set(endpointId, (byEndpoint.get(endpointId) ?? 0) + 1);
    const flight = attempt(env, taken, cutOff.signal)
      // The lease runs out, and the delivery is found again.
      .catch((error: unknown) => env.log.warn({ err: error, deliveryId: taken.id }, 'An attempt at a webhook could not be written down.'))
      .finally(() => {
        flights.delete(flight);
        const left = (byEndpoint.get(endpointId) ?? 1) - 1;
        if (left > 0) byEndpoint.set(endpointId, left);
        else byEndpoint.delete(endpointId);
      });
    flights.add(flight);
  }

  try {
    for (;;) {
      const free = inFlightMax - flights.size;
      const taken = stopping.aborted || free === 0 ? [] : await takeDueDeliveries(env.pool, env.clock.now(), free, byEndpoint);
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

export async function measureWebhooks({ pool, clock, metrics }: Pick<Env, 'pool' | 'clock' | 'metrics'>): Promise<void> {
  metrics.webhooksWaiting(await oldestDueS(pool, clock.now()));
}

const never = new AbortController().signal;

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

async function attempt(env: Env, taken: TakenDelivery, cutOff: AbortSignal): Promise<void> {
  const { config, clock, pool, metrics } = env;
  const at = clock.now();
  const body = bodyOf(taken);
  const headers = { 'Content-Type': 'application/json', 'User-Agent': userAgent, ...signedHeaders(config, taken, taken.eventId, body, at) };
  const answer = await env.webhookSender.send({ url: taken.url, headers, body, signal: cutOff });
  if (answer.aborted) return releaseDelivery(pool, taken);

  const { status, durationMs, responseBody, error } = answer;
  const made = { at, status, durationMs, responseBody, error };
  const lagS = taken.attemptCount === 0 ? (at.getTime() - taken.createdAt.getTime()) / 1000 : null;
  if (isDelivered(status)) {
    await commitDelivered(pool, taken, made);
    metrics.webhookAttempted('delivered', durationMs / 1000, lagS);
    return;
  }
  const gone = isGone(status);
  const next = gone ? null : nextAttemptAt(taken.failureCount + 1, clock.now(), answer.retryAfter, Math.random());
  const disabledFor = await commitFailed(pool, taken, { ...made, error: error ?? `The receiver answered ${status}.` }, next, gone);
  metrics.webhookAttempted(next === null ? 'dead' : 'failed', durationMs / 1000, lagS);
  if (disabledFor === null) return;
  env.log.warn({ endpointId: taken.endpointId, reason: disabledFor }, 'A webhook endpoint was disabled.');
  await pool.query({ name: 'bury-webhooks', text: buryDeliveries, values: [clock.now(), taken.endpointId] });
}

const userAgent = `partner-payments-platform/${platformVersion()}`;

/** The event as GET /events/:eventId shows it; the same bytes at every attempt. */
function bodyOf({ event, testBody, eventId }: TakenDelivery): string {
  if (testBody) return JSON.stringify(testBody);
  if (event === null) throw new Error(`There is no event ${eventId}.`);
  return JSON.stringify(shownEvent(event));
}

function shownEvent({ id, type, createdAt, mode, platformAccountId, storeId, sequence, requestId, data }: EventRow): object {
  return { id, type, createdAt: new Date(createdAt).toISOString(), livemode: mode === 'live', platformAccountId, storeId, sequence, requestId, data };
}
