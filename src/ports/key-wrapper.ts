/**
 * Wraps keys under one that never leaves a key management service. Each method is a request to that service. What it
 * cannot do is a `ConfigError` with a sentence for the operator, which contains no key.
 */
export interface KeyWrapper {
  /** The wrapped form of a text of at most 4,096 bytes, bound to the setting that will hold it. */
  wrap(text: string, setting: string): Promise<Buffer>;

  /** The text that was wrapped for this setting. */
  unwrap(wrapped: Buffer, setting: string): Promise<string>;

  close(): void;
}
