import {
  ConflictError,
  ConnectionError,
  type PlatformError,
  RateLimitedError,
  ServerError,
  TimeoutError,
} from './errors.ts';

const firstMs = 500;
const longestMs = 8_000;
/** A platform that asks for more is not waited for: the error says how long it asks for. */
const longestAskedMs = 60_000;

/**
 * The milliseconds until the next attempt, or undefined if there is none. The time is drawn evenly from zero to a bound
 * that doubles, so that many clients do not come back together, and is at least what the platform asks for.
 */
export function retryDelay(error: PlatformError, attempt: number, askedMs: number | undefined): number | undefined {
  if (!mayPass(error) || (askedMs ?? 0) > longestAskedMs) return undefined;
  const drawn = Math.random() * Math.min(longestMs, firstMs * 2 ** attempt);
  return Math.round((askedMs ?? 0) + drawn);
}

/** Whether the same call can succeed later. Of the conflicts that is the one of a call that is still in progress. */
function mayPass(error: PlatformError): boolean {
  if (error instanceof ConflictError) return error.reason === 'idempotency_key_in_use';
  return [ConnectionError, TimeoutError, ServerError, RateLimitedError].some((kind) => error instanceof kind);
}

/** `Retry-After` is a number of seconds or a date. */
export function askedDelay(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get('Retry-After');
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Resolves after `ms`, or throws the reason of the signal. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(reasonOf(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Why a signal was aborted. By default a DOMException with the name `AbortError`. */
export function reasonOf(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new Error('The call was ended.', { cause: signal?.reason });
}
