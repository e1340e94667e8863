import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { usedVaultKeys } from '../../database/keys/used-keys.ts';
import { checksOf, fullNameOf, readChecks, type StoredCheck, storeChecks } from '../../keys/checks.ts';
import { parseKeyRing } from '../../keys/key-ring.ts';
import { createLog } from '../../observability/log.ts';
import { openConfig, wrapSettings } from '../../operating/open-config.ts';
import { asOwner, ownerOf, vaultOwnerOf } from '../../operating/prepare-vault.ts';
import { jobsOf } from '../../registry.ts';
import type { Services } from '../../services.ts';
import { ConfigError } from '../../settings/config.ts';
import { loadKms } from '../../settings/load-config.ts';
import { keySettings, plainKeysOf } from '../../settings/wrapped-keys.ts';
import { assertDatabaseExists, databaseOf } from './database.ts';
import { hasSecret, writeSecret } from './secret-files.ts';
import { withServices } from './with-services.ts';

const meanings = {
  known: 'recorded; servers may start with it',
  used: 'encrypts or hashes; servers need it',
  replaced: 'only decrypts or verifies',
} as const;

const entriesOf = (ring: string): string[] => ring.split(',').map((entry) => entry.trim());
const idOf = (entry: string): string => entry.slice(0, entry.indexOf(':'));
const without = (ring: readonly string[], id: string): string[] => ring.filter((entry) => idOf(entry) !== id);

export const check = (): Promise<number> => withServices(report);

export const add = async (): Promise<void> => void (await withServices(report, 'add'));

export const rotate = (): Promise<number> => withServices(rewrapAll, 'rotate');

/** Runs the rewrapping jobs until they find nothing to rewrap. */
async function rewrapAll(services: Services): Promise<number> {
  let sum = 0;
  const { signal } = new AbortController();
  for (const { run } of jobsOf(services).filter(({ name }) => name.startsWith('rewrap-')))
    for (let count = await run(signal); typeof count === 'number' && count > 0; count = await run(signal)) sum += count;
  console.log(`${sum} stored secrets were encrypted with the first key.`);
  return report(services);
}

async function report({ pool, vaultDatabase, config }: Services): Promise<number> {
  const { keys, newestId } = parseKeyRing(config.vaultKeys);
  for (const { setting, keyId, state } of await readChecks(pool))
    console.log(`${[setting, keyId].join(' ').trim()}: ${meanings[state as keyof typeof meanings]}.`);
  const used = await usedVaultKeys(pool, vaultDatabase.pool);
  for (const id of new Set([...keys.keys(), ...used.keys()])) {
    const count = used.get(id) ?? 0;
    if (id === newestId) console.log(`${id}: ${count} stored secrets; the first key of VAULT_KEYS.`);
    else if (!keys.has(id)) console.log(`${id}: ${count} stored secrets; NOT IN VAULT_KEYS, so they cannot be read.`);
    else if (count > 0) console.log(`${id}: ${count} stored secrets; still needed.`);
    else console.log(`${id}: 0 stored secrets; can be removed from VAULT_KEYS after a rotation.`);
  }
  return [...used.keys()].every((id) => id === newestId) ? 0 : 1;
}

export async function retire(name: string, { lost }: { lost: boolean }): Promise<void> {
  const config = await openConfig(process.env, { isCommand: true });
  assertDatabaseExists(config);
  const server = await databaseOf(config, createLog({ level: 'warn', destination: process.stderr }));
  const [setting = '', keyId = ''] = name.split(':');
  const isMeant = (one: Pick<StoredCheck, 'setting' | 'keyId'>) => one.setting === setting && one.keyId === keyId;
  try {
    await asOwner(...ownerOf(server), async (main) => {
      const stored = (await readChecks(main)).find(isMeant);
      if (!stored) throw new ConfigError(`The database knows no key ${name}.`);
      if (checksOf(config).some((one) => isMeant(one) && one.check === stored.check))
        throw new ConfigError(`The settings have the key ${name}: remove it from them first, or set another one.`);
      const { vaultDatabase } = config;
      const [vaultSetting, vaultUrl] = vaultDatabase ? vaultOwnerOf(vaultDatabase) : ownerOf(server);
      await asOwner(vaultSetting, vaultUrl, async (vault) => {
        const count = setting === 'VAULT_KEYS' ? (await usedVaultKeys(main, vault)).get(keyId) : undefined;
        if (!lost && (count !== undefined || (setting !== 'VAULT_KEYS' && stored.state !== 'known')))
          throw new ConfigError(
            `${count === undefined ? 'Something stored may' : `${count} stored secrets`} need the key ${name}. Put it ` +
              'back, or run the command with --lost: what only that key opens is then lost.',
          );
        for (const database of setting === 'VAULT_KEYS' && vaultDatabase ? [vault, main] : [main])
          await storeChecks(database, [{ ...stored, state: 'retired' }]);
      });
      process.stdout.write(`${fullNameOf(stored)} is retired: servers start without it.\n`);
    });
  } finally {
    await server.stop();
  }
}

type WrapOptions = Partial<Record<'kmsKey' | 'add' | 'first' | 'drop' | 'addAuditKey', string>>;

export async function wrap(given: string, options: WrapOptions): Promise<void> {
  const { kmsKey, add: added, first, drop, addAuditKey: auditId } = options;
  const directory = resolve(given);
  const taken = keySettings.find((name) => hasSecret(directory, name.toLowerCase()));
  if (taken !== undefined)
    throw new ConfigError(`${given} has the file ${taken.toLowerCase()} already; name a new directory.`);
  const config = await openConfig(process.env, { isCommand: true });
  const kms = loadKms(process.env, kmsKey);
  if (kms === null) throw new ConfigError('Name the key of KMS: --kms-key, or the setting VAULT_KMS_KEY_ID.');
  const keys = plainKeysOf(config);
  let ring = entriesOf(config.vaultKeys);
  if (added !== undefined) ring = [...ring, newEntry(ring, added)];
  if (first !== undefined) ring = [entryOf(ring, first), ...without(ring, first)];
  if (drop !== undefined) {
    if (entryOf(ring, drop) === ring[0])
      throw new ConfigError(`The key "${drop}" is the first one, which encrypts; move another.`);
    ring = without(ring, drop);
  }
  keys.VAULT_KEYS = checked(ring);
  if (auditId !== undefined) {
    const audit = keys.AUDIT_KEYS === undefined ? [] : entriesOf(keys.AUDIT_KEYS);
    keys.AUDIT_KEYS = checked([newEntry(audit, auditId), ...audit]);
  }
  const wrapped = await wrapSettings(kms, keys);
  for (const [name, content] of Object.entries(wrapped)) writeSecret(directory, name.toLowerCase(), content);
  const names = Object.keys(wrapped).map((name) => name.toLowerCase());
  process.stdout.write(`Wrote ${names.join(', ')} to ${given}, wrapped by ${kms.keyId}.\n`);
  process.stdout.write(`VAULT_KEYS has ${ring.map(idOf).join(', ')}; the first one encrypts.\n`);
}

function newEntry(ring: readonly string[], id: string): string {
  if (ring.some((entry) => idOf(entry) === id)) throw new ConfigError(`The ring has a key "${id}" already.`);
  return `${id}:${randomBytes(32).toString('base64')}`;
}

function entryOf(ring: readonly string[], id: string): string {
  const entry = ring.find((one) => idOf(one) === id);
  if (entry === undefined) throw new ConfigError(`The ring has no key "${id}".`);
  return entry;
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
