import type { Config } from './config.ts';

/** The settings that are keys of what is stored. With `VAULT_KMS_KEY_ID` they are given wrapped, and only so. */
export const keySettings = ['VAULT_KEYS', 'FINGERPRINT_KEY', 'AUDIT_KEYS', 'IDP_SECRET'] as const;

export type KeySetting = (typeof keySettings)[number];

/** The keys as their settings have them without a key management service. */
export type PlainKeys = Partial<Record<KeySetting, string>>;

const prefix = 'kms:';

/** `kms:` and what the key management service made, in base64. */
export function writeWrapped(wrapped: Buffer): string {
  return `${prefix}${wrapped.toString('base64')}`;
}

/** What the key management service made, or undefined if the text is no wrapped key. */
export function readWrapped(text: string): Buffer | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const bytes = Buffer.from(text.slice(prefix.length), 'base64');
  return bytes.length > 0 && writeWrapped(bytes) === text ? bytes : undefined;
}

/** The keys of a configuration, for a process or a file that is to have the same. */
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
