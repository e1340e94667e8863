const secondMs = 1_000;
const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The wait after each failure before the next attempt (docs/contract/17-events-and-webhooks.md). */
export const retryStepsMs = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
] as const;
/** An endpoint that has failed for this long without a success is disabled. */
export const failingMaxMs = 5 * dayMs;
const jitter = 0.2;
const retryAfterMaxMs = 24 * hourMs;
/** The longest wait until the next attempt. */
export const waitMaxMs = Math.max(retryAfterMaxMs, ...retryStepsMs.map((step) => step * (1 + jitter)));

/**
 * The time of the next attempt after the `failures`th failure in a row, or null if there is none. A step is up to a
 * fifth shorter or longer, so that deliveries that failed together are not retried together. The receiver's Retry-After
 * can only lengthen it. On a test clock `now` is that clock's time; a date in Retry-After is real time.
 */
export function nextAttemptAt(
  failures: number,
  { now, real }: { now: Date; real: Date },
  retryAfter: string | null,
  random: number,
): Date | null {
  const step = retryStepsMs[failures - 1];
  if (step === undefined) return null;
  const jittered = step * (1 - jitter + 2 * jitter * random);
  const waitMs = Math.max(jittered, Math.min(retryAfterMs(retryAfter, real), retryAfterMaxMs));
  return new Date(now.getTime() + Math.round(waitMs));
}

/** Retry-After is a number of seconds or an HTTP date. Anything else is ignored. */
function retryAfterMs(text: string | null, now: Date): number {
  if (text === null) return 0;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text.trim()) * secondMs;
  const at = Date.parse(text);
  return text.trim().endsWith('GMT') && !Number.isNaN(at) ? at - now.getTime() : 0;
}

export function isDelivered(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** 410 means that the receiver no longer exists. */
export function isGone(status: number | null): boolean {
  return status === 410;
}
