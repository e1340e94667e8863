import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseKeyRing } from '../keys/key-ring.ts';
import { openConfig } from '../operating/open-config.ts';
import { loadKms } from '../settings/load-config.ts';
import { keySettings, plainKeysOf } from '../settings/wrapped-keys.ts';
import { readArguments, runCommand, UsageError } from './command.ts';
import { addKey, dropKey, moveToFront, wrapSettings } from './key-entries.ts';
import { hasSecret, writeSecret } from './secret-files.ts';

const help = `Writes the keys of the settings to new files of a directory, wrapped by a key of AWS KMS.

  npm run keys:wrap -- <directory> [--kms-key <key>] [--add <id>] [--first <id>] [--drop <id>] [--add-audit-key <id>]

  --kms-key        the key of KMS, where it is another than VAULT_KMS_KEY_ID
  --add            appends a new key to VAULT_KEYS
  --first          moves a key of VAULT_KEYS to the front: what is new is encrypted with it
  --drop           removes a key of VAULT_KEYS that nothing needs any more
  --add-audit-key  puts a new key in front of AUDIT_KEYS

It changes no file that exists and nothing of the database. docs/self-hosting/keys.md has the order of a rotation.
`;

await runCommand(async () => {
  const text = { type: 'string' } as const;
  const options = { 'kms-key': text, add: text, first: text, drop: text, 'add-audit-key': text };
  const { values, positionals } = readArguments(() => parseArgs({ options, allowPositionals: true }), help);
  const [given, ...more] = positionals;
  if (given === undefined || more.length > 0) throw new UsageError('Name one directory.', help);
  const directory = resolve(given);
  const taken = keySettings.find((name) => hasSecret(directory, name.toLowerCase()));
  if (taken !== undefined)
    throw new UsageError(`${given} has the file ${taken.toLowerCase()} already; name a new directory.`);
  const config = await openConfig(process.env, { isCommand: true });
  const kms = loadKms(process.env, values['kms-key']);
  if (kms === null) throw new UsageError('Name the key of KMS: --kms-key, or the setting VAULT_KMS_KEY_ID.', help);
  const keys = plainKeysOf(config);
  const newKey = (): string => randomBytes(32).toString('base64');
  const { add, first, drop, 'add-audit-key': auditId } = values;
  let ring = config.vaultKeys;
  if (add !== undefined) ring = addKey(ring, add, newKey());
  if (first !== undefined) ring = moveToFront(ring, first);
  if (drop !== undefined) ring = dropKey(ring, drop);
  keys.VAULT_KEYS = ring;
  if (auditId !== undefined) {
    const audit = addKey(keys.AUDIT_KEYS, auditId, newKey());
    keys.AUDIT_KEYS = moveToFront(audit, auditId);
  }
  const wrapped = await wrapSettings(kms, keys);
  for (const [name, content] of Object.entries(wrapped)) writeSecret(directory, name.toLowerCase(), content);
  const names = Object.keys(wrapped).map((name) => name.toLowerCase());
  process.stdout.write(`Wrote ${names.join(', ')} to ${given}, wrapped by ${kms.keyId}.\n`);
  process.stdout.write(`VAULT_KEYS has ${[...parseKeyRing(ring).keys.keys()].join(', ')}; the first one encrypts.\n`);
  return 0;
});
