import { callAddress, type Query } from './address.ts';
import { readAnswer } from './answer.ts';
import type { Answered } from './call.ts';
import { ConfigurationError, ConnectionError, InvalidInputError, PlatformError, TimeoutError } from './errors.ts';
import type { KnownKey } from './mode.ts';
import type { CallOptions, ClientOptions, LogEntry } from './options.ts';
import { askedDelay, pause, reasonOf, retryDelay } from './retry.ts';

/** A request before it is sent. */
export interface ApiRequest {
  method: string;
  path: string;
  /** The path without identifiers, for the log. */
  shown: string;
  isWrite: boolean;
  body?: unknown;
  query?: Query;
  bodyBytesMax?: number;
}

interface Attempt {
  url: string;
  request: { method: string; headers: Record<string, string>; body?: string };
  idempotencyKey: string | undefined;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

interface Outcome<T> {
  answered?: Answered<T>;
  error?: PlatformError;
  status?: number;
  requestId?: string | undefined;
  askedMs?: number | undefined;
}

/** Sends requests with one key to one platform, and repeats them. */
export class Transport {
  readonly api: string;
  readonly key: KnownKey;
  readonly options: ClientOptions;

  constructor(api: string, key: KnownKey, options: ClientOptions) {
    this.api = api;
    this.key = key;
    this.options = options;
  }

  /** Every attempt has the same `Idempotency-Key`, so that the call has one effect. */
  async send<T>(request: ApiRequest, options: CallOptions = {}): Promise<Answered<T>> {
    const attempt = this.#prepare(request, options);
    const retries = options.maxRetries ?? this.options.maxRetries ?? 2;
    for (let count = 0; ; count += 1) {
      const startedMs = performance.now();
      const outcome = await this.#attempt<T>(attempt);
      const { answered, error } = outcome;
      const retryInMs = error && count < retries ? retryDelay(error, count, outcome.askedMs) : undefined;
      this.#log({
        route: `${request.method} ${request.shown}`,
        attempt: count + 1,
        durationMs: Math.round(performance.now() - startedMs),
        ...(outcome.status !== undefined && { status: outcome.status }),
        ...(outcome.requestId !== undefined && { requestId: outcome.requestId }),
        ...(error && { error: error.code ?? error.name }),
        ...(retryInMs !== undefined && { retryInMs }),
        ...(answered?.replayed && { replayed: true }),
        ...(answered && answered.ignoredFields.length > 0 && { ignoredFields: answered.ignoredFields }),
      });
      if (answered) return answered;
      if (retryInMs === undefined) throw error;
      await pause(retryInMs, attempt.signal);
    }
  }

  #prepare({ method, path, isWrite, body, query, bodyBytesMax }: ApiRequest, options: CallOptions): Attempt {
    const { idempotencyKey: given, signal, timeoutMs = this.options.timeoutMs ?? 60_000 } = options;
    if (given !== undefined && !/^[\x20-\x7e]{1,255}$/.test(given))
      throw new ConfigurationError('idempotencyKey has 1 to 255 printable ASCII characters. Nothing was sent.');
    const idempotencyKey = isWrite ? (given ?? crypto.randomUUID()) : undefined;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const bytes = text === undefined ? 0 : new TextEncoder().encode(text).byteLength;
    if (bodyBytesMax !== undefined && bytes > bodyBytesMax)
      throw new InvalidInputError(
        `The body has ${bytes} bytes, and the platform takes ${bodyBytesMax} here. Nothing was sent.`,
      );
    return {
      url: callAddress(this.api, path, query),
      request: {
        method,
        headers: {
          Accept: 'application/json',
          ...options.headers,
          ...(text !== undefined && { 'Content-Type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
        },
        ...(text !== undefined && { body: text }),
      },
      idempotencyKey,
      timeoutMs,
      signal,
    };
  }

  async #attempt<T>({ url, request, idempotencyKey, timeoutMs, signal }: Attempt): Promise<Outcome<T>> {
    if (signal?.aborted) throw reasonOf(signal);
    const ended = new AbortController();
    const end = (): void => ended.abort();
    const timer = setTimeout(end, timeoutMs);
    signal?.addEventListener('abort', end, { once: true });
    try {
      const headers = new Headers(request.headers);
      headers.set('Authorization', `Bearer ${this.key.secret}`);
      const send = this.options.fetch ?? fetch;
      // A redirect would carry the key to another address.
      const response = await send(url, { ...request, headers, redirect: 'manual', signal: ended.signal });
      const text = await response.text();
      const received = { url, response, text, keyShown: this.key.shown, idempotencyKey };
      const read = readAnswer<T>(received);
      const requestId = response.headers.get('Request-Id') ?? undefined;
      const facts = { status: response.status, requestId, askedMs: askedDelay(response.headers, Date.now()) };
      return read instanceof PlatformError ? { ...facts, error: read } : { ...facts, answered: read };
    } catch (cause) {
      if (signal?.aborted) throw reasonOf(signal);
      const failure = { cause, ...(idempotencyKey !== undefined && { idempotencyKey }) };
      const { origin } = new URL(url);
      if (ended.signal.aborted)
        return { error: new TimeoutError(`${origin} did not answer within ${timeoutMs} ms.`, failure) };
      return {
        error: new ConnectionError(
          `${origin} could not be reached, or cut the connection${codeOf(cause)}. Check baseUrl and that the ` +
            'platform runs.',
          failure,
        ),
      };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }

  /** A log that throws changes no call. */
  #log(entry: LogEntry): void {
    try {
      this.options.log?.(entry);
    } catch {
      // It is the caller's.
    }
  }
}

/** The code of a network error, which `fetch` hides in its cause. */
function codeOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
}
