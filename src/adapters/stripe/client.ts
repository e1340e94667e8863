import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import Stripe from 'stripe';
import type { Clock } from '../../lib/clock.ts';
import { momentOf } from '../../lib/ids.ts';
import type { ProcessorConnection } from '../../ports/card-processor.ts';

/** Far more than a page of a hundred payment intents. */
const answerBytesMax = 4 * 1024 * 1024;

type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;

/**
 * The library's client with limits for the size of an answer and for the time in which its body arrives, which the
 * library lacks: its timeout restarts with each byte. Above either limit, the connection is closed, which is an unknown
 * outcome.
 */
function boundedClient(): HttpClient {
  const client = Stripe.createNodeHttpClient();
  const makeRequest = client.makeRequest.bind(client);
  client.makeRequest = async (...request) => {
    const response = await makeRequest(...request);
    const [timeoutMs] = request.slice(-1) as [number]; // the last parameter
    const read = response.toJSON.bind(response);
    response.toJSON = () => {
      bound(response.getRawResponse() as IncomingMessage, timeoutMs); // of the client for Node
      return read();
    };
    return response;
  };
  return client;
}

function bound(message: IncomingMessage, timeoutMs: number): void {
  let bytes = 0;
  message.on('data', (chunk: Buffer | string) => {
    bytes += Buffer.byteLength(chunk);
    // With an error: without one, an answer whose last part exceeds the limit is read to its end.
    if (bytes > answerBytesMax) message.destroy(new Error(`The answer has more than ${answerBytesMax} bytes.`));
  });
  const timer = setTimeout(() => message.destroy(), timeoutMs);
  message.once('close', () => clearTimeout(timer));
}

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
 * closed before the response. That is safe, because every request that changes something has the platform's transaction
 * id as its idempotency key.
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

const skewMs = 5 * 60_000;
const pageSize = 100;
const pagesMax = 10;

/**
 * Finds the payment intent that was created for a reference. Stripe's search by metadata is delayed by a minute or
 * more, so the newest payment intents are read from the list, which is not delayed; older ones are searched for.
 * Returns `absent` only if the list was read to its end, so that none exists, and `unseen` if one may exist.
 */
export async function findPaymentIntent(
  stripe: Stripe,
  reference: string,
  clock: Clock,
): Promise<Stripe.PaymentIntent | 'absent' | 'unseen'> {
  const since = Math.min(momentOf(reference)?.getTime() ?? 0, clock.now().getTime()) - skewMs;
  let after: string | undefined;
  for (let page = 0; page < pagesMax; page++) {
    const { data, has_more: more } = await stripe.paymentIntents.list({
      created: { gte: Math.floor(since / 1000) },
      limit: pageSize,
      ...(after !== undefined && { starting_after: after }),
    });
    const found = data.find(({ metadata }) => metadata['reference'] === reference);
    if (found) return found;
    if (!more) return 'absent';
    after = data.at(-1)?.id;
  }
  const { data } = await stripe.paymentIntents.search({ query: `metadata['reference']:'${reference}'`, limit: 1 });
  // The search index may contain an older state of the payment intent.
  return data[0] ? stripe.paymentIntents.retrieve(data[0].id) : 'unseen';
}
