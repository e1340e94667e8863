/** What the rate limit of the key allows: the header `RateLimit`. */
export interface RateLimit {
  /** The plan of the account, such as `standard`. */
  plan: string;
  /** The remaining requests. */
  remaining: number;
  /** The milliseconds until more are available. */
  resetMs: number;
}

/** An answer with what its headers say. */
export interface Answered<T> {
  data: T;
  status: number;
  /** The log line, the event and the audit row of the call have the same. */
  requestId: string | undefined;
  /** True if this is the stored answer of an earlier call with the same `Idempotency-Key`. */
  replayed: boolean;
  rateLimit: RateLimit | undefined;
  /** The unknown top-level fields of a list's body. The platform ignored them. */
  ignoredFields: readonly string[];
  headers: Headers;
}

/** A call that has been sent. It is a promise of the answer's body. */
export class ApiCall<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'ApiCall';
  readonly #answered: Promise<Answered<T>>;

  constructor(answered: Promise<Answered<T>>) {
    this.#answered = answered;
  }

  /** The answer's body together with what its headers say. */
  withResponse(): Promise<Answered<T>> {
    return this.#answered;
  }

  then<Kept = T, Caught = never>(
    onFulfilled?: ((data: T) => Kept | PromiseLike<Kept>) | null,
    onRejected?: ((error: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<Kept | Caught> {
    return this.#answered.then(({ data }) => data).then(onFulfilled, onRejected);
  }

  catch<Caught = never>(onRejected?: ((error: unknown) => Caught | PromiseLike<Caught>) | null): Promise<T | Caught> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.then(undefined).finally(onFinally);
  }
}
