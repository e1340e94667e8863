import { parseKeyRing } from '../keys/key-ring.ts';
import { openKeyWrapper } from '../operating/open-config.ts';
import { ConfigError, type KmsConfig } from '../settings/config.ts';
import { keySettings, type PlainKeys, writeWrapped } from '../settings/wrapped-keys.ts';

/** A ring with a new key at its end, which therefore encrypts nothing yet. */
export function addKey(ring: string | undefined, id: string, key: string): string {
  const entries = ring === undefined ? [] : entriesOf(ring);
  if (entries.some((entry) => idOf(entry) === id)) throw new ConfigError(`The ring has a key "${id}" already.`);
  return checked([...entries, `${id}:${key}`]);
}

export function moveToFront(ring: string, id: string): string {
  const entry = entryOf(ring, id);
  return checked([entry, ...entriesOf(ring).filter((other) => other !== entry)]);
}

/**
 * The ring without a key that is not the first. `npm run keys:rotate -- --check` shows whether stored data still needs
 * it.
 */
export function dropKey(ring: string, id: string): string {
  const entry = entryOf(ring, id);
  const entries = entriesOf(ring);
  if (entry === entries[0]) throw new ConfigError(`The key "${id}" is the first one, which encrypts; move another.`);
  return checked(entries.filter((other) => other !== entry));
}

function entryOf(ring: string, id: string): string {
  const entry = entriesOf(ring).find((one) => idOf(one) === id);
  if (entry === undefined) throw new ConfigError(`The ring has no key "${id}".`);
  return entry;
}

function entriesOf(ring: string): string[] {
  return ring.split(',').map((entry) => entry.trim());
}

function idOf(entry: string): string {
  return entry.slice(0, entry.indexOf(':'));
}

/** An invalid id is an error that names the entry by its position. */
function checked(entries: readonly string[]): string {
  const ring = entries.join(',');
  try {
    parseKeyRing(ring);
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error));
  }
  return ring;
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
