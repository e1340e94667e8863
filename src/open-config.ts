import { openKeyWrapper } from './open-key-wrapper.ts';
import type { Config } from './runtime/config.ts';
import { type LoadOptions, loadConfig, wrappedKeysOf } from './runtime/load-config.ts';
import type { Environment } from './runtime/setting-problems.ts';
import type { PlainKeys } from './runtime/wrapped-keys.ts';

/**
 * Reads every setting as `loadConfig` does. With `VAULT_KMS_KEY_ID` the keys are unwrapped by the key management
 * service: this is the only time that a server asks it. They are then in this process and in no environment or file.
 */
export async function openConfig(environment: Environment = process.env, options: LoadOptions = {}): Promise<Config> {
  const wrapped = wrappedKeysOf(environment, options);
  if (wrapped === null) return loadConfig(environment, options);
  const wrapper = await openKeyWrapper(wrapped.kms);
  try {
    const unwrapped: PlainKeys = {};
    // One after the other: of a key that cannot be used one sentence is enough.
    for (const [name, key] of wrapped.keys) unwrapped[name] = await wrapper.unwrap(key, name);
    return loadConfig(environment, { ...options, unwrapped });
  } finally {
    wrapper.close();
  }
}
