import { createHash } from 'node:crypto';
import { withOutageRetry } from '../../../database/outage-retry.ts';
import { execute } from '../../../database/sql.ts';
import type { Services } from '../../../services.ts';
import { signedHeaders } from '../endpoints/signing.ts';
import { type LeasedDelivery, releaseDelivery } from './lease.ts';
import { bodyOf, contentHeaders } from './request.ts';
import { markDeliveriesDead, recordDelivered, recordFailed } from './rows.ts';
import { isDelivered, isGone, nextAttemptAt } from './schedule.ts';

export interface AttemptOptions {
  /** Aborted when the server stops. */
  signal: AbortSignal;
  /** Whether the attempt gets a tenth of the usual time. */
  hasShortTimeout: boolean;
}

/** Sends a leased delivery and records the result, at the time of its test clock if its event occurred on one. */
export function attemptDelivery(services: Services, leased: LeasedDelivery, options: AttemptOptions): Promise<void> {
  const { testClockId, testClockNow } = leased;
  const attributes = { deliveryId: leased.id, eventId: leased.eventId };
  const attempt = () =>
    services.tracing.span('webhook attempt', attributes, () => sendAndRecord(services, leased, options), {
      root: true,
    });
  return testClockId !== null && testClockNow !== null
    ? services.clock.on({ id: testClockId, now: testClockNow }, attempt)
    : attempt();
}

async function sendAndRecord(
  services: Services,
  leased: LeasedDelivery,
  { signal, hasShortTimeout }: AttemptOptions,
): Promise<void> {
  const { config, clock, pool, metrics } = services;
  const real = clock.real();
  const at = leased.testClockId === null ? real : clock.now(); // shown as the time of the signature
  const body = bodyOf(config, leased);
  const traceparent = services.tracing.traceparent();
  const headers = {
    ...(traceparent !== undefined && { traceparent }),
    ...contentHeaders,
    // The receiver checks the age of a signature by its own clock, so the timestamp is real time.
    ...signedHeaders(config, leased, leased.eventId, body, real),
  };
  const answer = await services.webhookSender.send({ url: leased.url, headers, body, signal, hasShortTimeout });
  if (answer.aborted) return releaseDelivery(services, leased);

  const { status, durationMs, responseBody, responseHeaders, error, timedOut } = answer;
  const attempt = { at, status, durationMs, responseBody, responseHeaders, error, timedOut };
  const lagS =
    leased.attemptCount === 0 && leased.testClockId === null
      ? (at.getTime() - leased.createdAt.getTime()) / 1000
      : null;
  if (isDelivered(status)) {
    await withOutageRetry({ run: () => recordDelivered(pool, leased, attempt) });
    metrics.webhookAttempted('delivered', durationMs / 1000, lagS);
    return;
  }
  const gone = isGone(status);
  const next = gone ? null : nextAttemptOf(services, leased, at, answer.retryAfter);
  const failed = { ...attempt, error: error ?? `The receiver answered ${status}.` };
  const disabledReason = await withOutageRetry({ run: () => recordFailed(pool, leased, failed, next, gone) });
  metrics.webhookAttempted(next === null ? 'dead' : 'failed', durationMs / 1000, lagS);
  if (disabledReason === null) return;
  services.log.warn({ endpointId: leased.endpointId, reason: disabledReason }, 'A webhook endpoint was disabled.');
  await execute(pool, markDeliveriesDead(leased.endpointId, clock.real()));
}

function nextAttemptOf(
  { clock }: Services,
  { failureCount, testClockId }: LeasedDelivery,
  at: Date,
  retryAfter: string | null,
): Date | null {
  const random = testClockId === null ? Math.random() : jitterOf(testClockId, at);
  return nextAttemptAt(failureCount + 1, { now: clock.now(), real: clock.real() }, retryAfter, random);
}

/**
 * Deliveries that failed at one moment of a test clock get the same jitter: there is no load to spread, and the advance
 * then waits for them once.
 */
function jitterOf(testClockId: string, at: Date): number {
  return createHash('sha256').update(`${testClockId} ${at.getTime()}`).digest().readUInt32BE() / 2 ** 32;
}
