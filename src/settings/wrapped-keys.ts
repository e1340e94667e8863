import type { Config } from './config.ts';

/** The settings that are keys of stored data. With `VAULT_KMS_KEY_ID` they must be given wrapped. */
export const keySettings = ['VAULT_KEYS', 'FINGERPRINT_KEY', 'AUDIT_KEYS', 'IDP_SECRET'] as const;

export type KeySetting = (typeof keySettings)[number];

/** The keys in the form of their settings without a key management service. */
export type PlainKeys = Partial<Record<KeySetting, string>>;

const prefix = 'kms:';

/** `kms:` and the ciphertext of the key management service, in base64. */
export function writeWrapped(wrapped: Buffer): string {
  return `${prefix}${wrapped.toString('base64')}`;
}

/** The ciphertext of the key management service, or undefined if the text is no wrapped key. */
export function readWrapped(text: string): Buffer | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const bytes = Buffer.from(text.slice(prefix.length), 'base64');
  return bytes.length > 0 && writeWrapped(bytes) === text ? bytes : undefined;
}

/** The keys of a configuration, for another process or a file with the same keys. */
export function plainKeysOf({ vaultKeys, fingerprintKey, auditKeys, identity }: Config): PlainKeys {
  const given = auditKeys.split(',').filter((entry) => !entry.trim().startsWith('derived:'));
  return {
    VAULT_KEYS: vaultKeys,
    FINGERPRINT_KEY: fingerprintKey.toString('base64'),
    ...(given.length > 0 && { AUDIT_KEYS: given.join(',') }),
    ...(identity.kind === 'embedded' && { IDP_SECRET: identity.secret }),
  };
}

/**
 * Wraps keys under one that never leaves a key management service. Each method is a request to that service. Failures
 * are `ConfigError`s with a sentence for the operator, which contains no key.
 */
export interface KeyWrapper {
  /** The wrapped form of a text of at most 4,096 bytes, bound to the setting that will hold it. */
  wrap(text: string, setting: string): Promise<Buffer>;

  /** The text that was wrapped for this setting. */
  unwrap(wrapped: Buffer, setting: string): Promise<string>;

  close(): void;
}
