import { setTimeout as delay } from 'node:timers/promises';
import Stripe from 'stripe';
import type { ProcessorConnection } from '../../ports/processor-connection.ts';
import { boundedClient } from './bounded-client.ts';

export interface StripeSettings {
  /** The URL of the Stripe API, or of a fake in tests. */
  apiBase: string;
  timeoutMs: number;
}

/** The processor has no key, so no request was sent. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected';
}

/**
 * Creates the Stripe client for one processor. Retries are disabled, but the client always retries a connection that
 * closed before the response. That is safe, because every request that changes something has our transaction id as its
 * idempotency key.
 */
export function stripeFor({ apiBase, timeoutMs }: StripeSettings, { options, secrets }: ProcessorConnection): Stripe {
  const key = secrets['secretKey'] ?? secrets['accessToken'];
  if (key === undefined) throw new NotConnected('The processor has no key.');
  const { protocol, hostname, port } = new URL(apiBase);
  const isPlain = protocol === 'http:';
  // An OAuth access token belongs to the connected account. With the platform's key, the account must be given.
  const account = secrets['secretKey'] === undefined ? undefined : options['accountId'];
  return new Stripe(key, {
    host: hostname,
    port: port === '' ? (isPlain ? 80 : 443) : port,
    protocol: isPlain ? 'http' : 'https',
    maxNetworkRetries: 0,
    timeout: timeoutMs,
    telemetry: false,
    httpClient: boundedClient(),
    ...(typeof account === 'string' && { stripeAccount: account }),
  });
}

const attemptsMax = 6;
const firstPauseMs = 100;

/**
 * Retries a request that Stripe has not started to process: another request with this key is in progress (409), or
 * there are too many requests (429). The signal limits the total wait.
 */
export async function retryUntilStarted<Answer>(
  signal: AbortSignal | undefined,
  call: () => Promise<Answer>,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const notStarted =
        error instanceof Stripe.errors.StripeError && (error.statusCode === 409 || error.statusCode === 429);
      if (!notStarted || attempt === attemptsMax || signal?.aborted) throw error;
      await delay(firstPauseMs * 2 ** (attempt - 1), undefined, signal && { signal });
    }
  }
}
