const secondMs = 1_000;
const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** How long after each failure the next attempt comes (contract 17). After the last one there is none. */
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
/** An endpoint that has failed for so long without a success is disabled. */
export const failingMaxMs = 5 * dayMs;
const jitter = 0.2;
const retryAfterMaxMs = 24 * hourMs;

/**
 * When to try again after the `failures`th failure in a row, or null when that was the last. A step is up to a fifth shorter or
 * longer, so that what failed together does not come back together; a receiver's Retry-After only ever lengthens it. On a test clock
 * `now` is that clock's time; a date the receiver names is one of real time.
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
  return new Date(
    now.getTime() + Math.round(Math.max(jittered, Math.min(retryAfterMs(retryAfter, real), retryAfterMaxMs))),
  );
}

/** Seconds or an HTTP date. What is neither asks for nothing. */
function retryAfterMs(text: string | null, now: Date): number {
  if (text === null) return 0;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text.trim()) * secondMs;
  const at = Date.parse(text);
  return /GMT$/.test(text.trim()) && !Number.isNaN(at) ? at - now.getTime() : 0;
}

export function isDelivered(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** 410 says that the receiver is gone for good. */
export function isGone(status: number | null): boolean {
  return status === 410;
}
