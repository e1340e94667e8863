/** The options of one call. */
export interface CallOptions {
  /**
   * Makes a write idempotent across processes and restarts: the same key with the same body has one effect. By default
   * each call has a random key, which its retries share.
   */
  idempotencyKey?: string;
  /** The milliseconds that one attempt may take. By default that of the client: 60,000. */
  timeoutMs?: number;
  /** How often the call is repeated after a failure that may pass. By default that of the client: 2. */
  maxRetries?: number;
  /** Ends the call. Its reason is thrown. The platform may have done what was asked for. */
  signal?: AbortSignal;
  /** Headers beside those of the client. `Authorization` cannot be set. */
  headers?: Readonly<Record<string, string>>;
}

/** What a client is made of, beside its key. */
export interface ClientOptions {
  /** The address of the platform, such as `https://pay.example.com`. */
  baseUrl: string;
  timeoutMs?: number;
  maxRetries?: number;
  /** Called for every attempt. It never sees a key, a body or an identifier. */
  log?: (entry: LogEntry) => void;
  /** Sends the requests. By default the `fetch` of the runtime. */
  fetch?: (url: string, request: RequestInit) => Promise<Response>;
}

/** One attempt of a call. */
export interface LogEntry {
  /** The method and the path without identifiers, such as `GET /payments/{paymentId}`. */
  route: string;
  /** 1 for the first. */
  attempt: number;
  durationMs: number;
  /** Undefined when there was no answer. */
  status?: number;
  requestId?: string;
  /** The code of the error, such as `CONFLICT`, or its kind, such as `TimeoutError`. */
  error?: string;
  /** When the call is repeated: the milliseconds until then. */
  retryInMs?: number;
  /** True for a stored answer. */
  replayed?: boolean;
  /** The fields of a list's body that the platform does not know. */
  ignoredFields?: readonly string[];
}
