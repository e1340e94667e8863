import { type Config, ConfigError, type KmsConfig } from '../settings/config.ts';
import { type LoadOptions, loadConfig, wrappedKeysOf } from '../settings/load-config.ts';
import { importOptional } from '../settings/packages.ts';
import type { Environment } from '../settings/rules.ts';
import { type KeyWrapper, keySettings, type PlainKeys, writeWrapped } from '../settings/wrapped-keys.ts';

/** Loaded only if configured: most servers get their keys from settings, and need no client of AWS. */
async function openKeyWrapper(kms: KmsConfig): Promise<KeyWrapper> {
  const { openAwsKms } = await importOptional(
    () => import('../adapters/aws-kms.ts'),
    'VAULT_KMS_KEY_ID is set, and the package @aws-sdk/client-kms is not installed; run ' +
      '`npm install --no-save --save-prod --omit=dev @aws-sdk/client-kms`.',
  );
  return openAwsKms(kms);
}

/**
 * Reads every setting like `loadConfig`. With `VAULT_KMS_KEY_ID` the keys are unwrapped by the key management service,
 * which a server calls only here. From then on the keys are in this process only, and in no environment or file.
 */
export async function openConfig(environment: Environment = process.env, options: LoadOptions = {}): Promise<Config> {
  const wrapped = wrappedKeysOf(environment, options);
  if (wrapped === null) return loadConfig(environment, options);
  const wrapper = await openKeyWrapper(wrapped.kms);
  try {
    const unwrapped: PlainKeys = {};
    // In sequence, since one message is enough for a key that cannot be used.
    for (const [name, key] of wrapped.keys) unwrapped[name] = await wrapper.unwrap(key, name);
    return loadConfig(environment, { ...options, unwrapped });
  } finally {
    wrapper.close();
  }
}

/** The keys in the form of their settings with `kms`. Each is unwrapped once before anything depends on it. */
export async function wrapSettings(kms: KmsConfig, keys: PlainKeys): Promise<PlainKeys> {
  const wrapper = await openKeyWrapper(kms);
  try {
    const made: PlainKeys = {};
    for (const name of keySettings) {
      const text = keys[name];
      if (text === undefined) continue;
      const wrapped = await wrapper.wrap(text, name);
      if ((await wrapper.unwrap(wrapped, name)) !== text)
        throw new ConfigError(`KMS unwraps ${name} as something else than it was given; nothing was written.`);
      made[name] = writeWrapped(wrapped);
    }
    return made;
  } finally {
    wrapper.close();
  }
}
