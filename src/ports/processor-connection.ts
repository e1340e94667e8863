/** The processor record a call is made for: which connection of the account, and what it was set up with. */
export interface ProcessorConnection {
  /** The record's id, prefix `proc_`. */
  readonly id: string;
  /** Its settings that are no secret, by name. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Its secrets in clear, by name: API keys, tokens. They live for the length of one call. */
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * The only way a connection is made here. Its secrets are not enumerable, so that no log line, `inspect`, `JSON.stringify`, spread
 * or snapshot of a surrounding object can carry them away by accident; whoever needs them must name them.
 */
export function processorConnection({ id, options, secrets }: ProcessorConnection): ProcessorConnection {
  const shown = { id, options };
  return Object.freeze(
    Object.defineProperty(shown, 'secrets', {
      value: secrets,
      enumerable: false,
      writable: false,
    }) as ProcessorConnection,
  ); // the compiler does not see what defineProperty adds
}
