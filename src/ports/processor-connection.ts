/** The processor of an account for which a call is made, with its options. */
export interface ProcessorConnection {
  /** The id of the processor, prefix `proc_`. */
  readonly id: string;
  /** The options that are not secret, by name. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The decrypted secrets by name, such as API keys and tokens. They exist during one call. */
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * Creates a connection. Its secrets are not enumerable, so that a log line, `inspect`, `JSON.stringify`, a spread or a
 * snapshot of a surrounding object cannot contain them by accident. They must be read by name.
 */
export function processorConnection({ id, options, secrets }: ProcessorConnection): ProcessorConnection {
  const shown = { id, options };
  return Object.freeze(
    Object.defineProperty(shown, 'secrets', {
      value: secrets,
      enumerable: false,
      writable: false,
    }) as ProcessorConnection,
  ); // the compiler does not know the property that defineProperty adds
}
