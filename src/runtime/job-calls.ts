/** Calls for a run before its time. */
export class Calls {
  #waiting = Promise.withResolvers<void>();
  #called = new AbortController();

  /** Aborted by a call: the pause ends. */
  get next(): AbortSignal {
    return this.#called.signal;
  }

  add(): Promise<void> {
    this.#called.abort();
    return this.#waiting.promise;
  }

  /** A run has ended, which answers the calls until now. */
  end(): void {
    this.#waiting.resolve();
    this.#waiting = Promise.withResolvers();
    this.#called = new AbortController();
  }
}
