import type { z } from 'zod';
import { ConfigError, type KmsConfig } from './config.ts';
import { readSettings } from './read-settings.ts';
import { type Environment, regionOf } from './setting-problems.ts';
import { kmsSettings } from './vault-settings.ts';

/** Null when the keys are given as they are. */
export function kmsOf(given: z.output<typeof kmsSettings>): KmsConfig | null {
  const { VAULT_KMS_KEY_ID: keyId, VAULT_KMS_REGION: region, VAULT_KMS_ENDPOINT: endpoint } = given;
  if (keyId === undefined) return null;
  return {
    keyId,
    region: region ?? regionOf(keyId) ?? null,
    endpoint: endpoint ?? null,
    timeoutMs: given.VAULT_KMS_TIMEOUT_MS,
  };
}

/**
 * The key management service of an environment, for a command that reads no other setting, or null. `keyId` is another
 * key of it than that of the setting.
 */
export function loadKms(environment: Environment, keyId?: string): KmsConfig | null {
  const { values, problems } = readSettings(kmsSettings, {
    ...environment,
    ...(keyId !== undefined && { VAULT_KMS_KEY_ID: keyId }),
    ...(keyId !== undefined && regionOf(keyId) && { VAULT_KMS_REGION: undefined }),
  });
  if (problems.length > 0 || !values) throw new ConfigError(problems.join('\n'));
  return kmsOf(values);
}
