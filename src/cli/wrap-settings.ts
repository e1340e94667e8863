import { openKeyWrapper } from '../open-key-wrapper.ts';
import { ConfigError, type KmsConfig } from '../runtime/config.ts';
import { keySettings, type PlainKeys, writeWrapped } from '../runtime/wrapped-keys.ts';

/** The keys as their settings have them with `kms`. Each is unwrapped once before anything depends on it. */
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
