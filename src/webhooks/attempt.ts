import { createHash } from 'node:crypto';
import type { Env } from '../env.ts';
import { platformVersion } from '../kit/config.ts';
import {
  buryDeliveries,
  commitDelivered,
  commitFailed,
  type EventRow,
  releaseDelivery,
  type TakenDelivery,
} from './delivery-statements.ts';
import { isDelivered, isGone, nextAttemptAt } from './schedule.ts';
import { signedHeaders } from './signing.ts';

/** Sends a delivery that was taken, and writes down what came of it: at its test clock's time where its event happened on one. */
export function attempt(env: Env, taken: TakenDelivery, how: Sending): Promise<void> {
  const { testClockId, testClockNow } = taken;
  const send = () => sendOnce(env, taken, how);
  return testClockId !== null && testClockNow !== null
    ? env.clock.on({ id: testClockId, now: testClockNow }, send)
    : send();
}

export interface Sending {
  /** Aborted when the server stops. */
  cutOff: AbortSignal;
  /** A tenth of the usual time has to do. */
  hurried: boolean;
}

async function sendOnce(env: Env, taken: TakenDelivery, { cutOff, hurried }: Sending): Promise<void> {
  const { config, clock, pool, metrics } = env;
  const at = clock.now();
  const body = bodyOf(taken);
  // A signature holds for minutes of real time, by the clock of its receiver.
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': userAgent,
    ...signedHeaders(config, taken, taken.eventId, body, clock.real()),
  };
  const answer = await env.webhookSender.send({ url: taken.url, headers, body, signal: cutOff, hurried });
  if (answer.aborted) return releaseDelivery(pool, taken);

  const { status, durationMs, responseBody, error, timedOut } = answer;
  const made = { at, status, durationMs, responseBody, error, timedOut };
  const lagS =
    taken.attemptCount === 0 && taken.testClockId === null ? (at.getTime() - taken.createdAt.getTime()) / 1000 : null;
  if (isDelivered(status)) {
    await commitDelivered(pool, taken, made);
    metrics.webhookAttempted('delivered', durationMs / 1000, lagS);
    return;
  }
  const gone = isGone(status);
  const next = gone
    ? null
    : nextAttemptAt(
        taken.failureCount + 1,
        { now: clock.now(), real: clock.real() },
        answer.retryAfter,
        taken.testClockId === null ? Math.random() : shareOf(`${taken.testClockId} ${at.getTime()}`),
      );
  const disabledFor = await commitFailed(
    pool,
    taken,
    { ...made, error: error ?? `The receiver answered ${status}.` },
    next,
    gone,
  );
  metrics.webhookAttempted(next === null ? 'dead' : 'failed', durationMs / 1000, lagS);
  if (disabledFor === null) return;
  env.log.warn({ endpointId: taken.endpointId, reason: disabledFor }, 'A webhook endpoint was disabled.');
  await pool.query({ name: 'bury-webhooks', text: buryDeliveries, values: [clock.real(), taken.endpointId] });
}

/** What failed at one moment of a test clock comes back at one moment: there is no crowd to scatter, and the advance waits for it once. */
function shareOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
}

const userAgent = `partner-payments-platform/${platformVersion()}`;

/** The event as GET /events/:eventId shows it; the same bytes at every attempt. */
function bodyOf({ event, testBody, eventId }: TakenDelivery): string {
  if (testBody) return JSON.stringify(testBody);
  if (event === null) throw new Error(`There is no event ${eventId}.`);
  return JSON.stringify(shownEvent(event));
}

function shownEvent({
  id,
  type,
  createdAt,
  mode,
  platformAccountId,
  storeId,
  sequence,
  requestId,
  data,
}: EventRow): object {
  return {
    id,
    type,
    createdAt: new Date(createdAt).toISOString(),
    livemode: mode === 'live',
    platformAccountId,
    storeId,
    sequence,
    requestId,
    data,
  };
}
