import { setTimeout as delay } from 'node:timers/promises';
import Stripe from 'stripe';
import type { ProcessorConnection } from '../ports/processor-connection.ts';

export interface StripeSettings {
  /** Where the API is: Stripe's own, or a stand-in. */
  apiBase: string;
  timeoutMs: number;
}

/** The record has no key, so that nothing can have been asked. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected';
}

/**
 * The vendor's client for one record. It repeats nothing by itself, but for one case it cannot be talked out of: a connection that
 * closed before an answer. That is safe, since every call that changes something carries our transaction id as its Idempotency-Key.
 */
export function stripeFor({ apiBase, timeoutMs }: StripeSettings, { options, secrets }: ProcessorConnection): Stripe {
  const key = secrets['secretKey'] ?? secrets['accessToken'];
  if (key === undefined) throw new NotConnected('The processor has no key.');
  const { protocol, hostname, port } = new URL(apiBase);
  const isPlain = protocol === 'http:';
  // A token of OAuth is the connected account's own; with the platform's key the account is named.
  const account = secrets['secretKey'] === undefined ? undefined : options['accountId'];
  return new Stripe(key, {
    host: hostname,
    port: port === '' ? (isPlain ? 80 : 443) : port,
    protocol: isPlain ? 'http' : 'https',
    maxNetworkRetries: 0,
    timeout: timeoutMs,
    telemetry: false,
    ...(typeof account === 'string' && { stripeAccount: account }),
  });
}

const attemptsMax = 6;
const firstPauseMs = 100;

/**
 * Repeats what Stripe answered it has not begun: another call with this key is under way (409), or there are too many calls (429).
 * Whoever waits decides for how long.
 */
export async function patiently<Answer>(signal: AbortSignal | undefined, call: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const notBegun =
        error instanceof Stripe.errors.StripeError && (error.statusCode === 409 || error.statusCode === 429);
      if (!notBegun || attempt === attemptsMax || signal?.aborted) throw error;
      await delay(firstPauseMs * 2 ** (attempt - 1), undefined, signal && { signal });
    }
  }
}
