import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadKms } from '../runtime/kms-config.ts';
import { type KeySetting, keySettings } from '../runtime/wrapped-keys.ts';
import { readArguments, runCommand } from './run-command.ts';
import { hasSecret, writeSecret } from './secret-files.ts';
import { UsageError } from './usage-error.ts';
import { wrapSettings } from './wrap-settings.ts';

const help = `Makes the secrets of a production deployment, a file each, for the settings that end in _FILE.

  npm run secrets -- <directory> [--database-host db] [--database platform]

A file that exists is left as it is, so a second run changes nothing. Back the directory up apart from the
database: without vault_keys and fingerprint_key the stored cards are lost. With VAULT_KMS_KEY_ID the keys are wrapped
by that key of AWS KMS, and never on this disk in clear.
`;

await runCommand(async () => {
  const options = {
    'database-host': { type: 'string', default: 'db' },
    database: { type: 'string', default: 'platform' },
  } as const;
  const { values, positionals } = readArguments(() => parseArgs({ options, allowPositionals: true }), help);
  const [directory, ...more] = positionals;
  if (directory === undefined || more.length > 0) throw new UsageError('Name one directory.', help);
  const made = await makeSecrets(resolve(directory), values['database-host'], values.database);
  process.stdout.write(made.length === 0 ? 'All secrets exist.\n' : `Made ${made.join(', ')} in ${directory}.\n`);
  return 0;
});

/** Makes the files that are missing, and returns their names. */
async function makeSecrets(directory: string, host: string, database: string): Promise<string[]> {
  const kms = loadKms(process.env);
  const files: [string, () => string][] = [
    ['vault_keys', () => `${new Date().toISOString().slice(0, 10)}:${newKey()}`],
    ['fingerprint_key', newKey],
    ['audit_keys', () => `${new Date().toISOString().slice(0, 10)}:${newKey()}`],
    ['idp_secret', newKey],
  ];
  // A URL has the password in it: all four files are of one run.
  const ofDatabase = ['postgres_password', 'server_password', 'migration_database_url', 'database_url'];
  if (ofDatabase.some((name) => !hasSecret(directory, name))) {
    const [owner, server] = [newPassword(), newPassword()];
    const url = (user: string, password: string): string => `postgresql://${user}:${password}@${host}/${database}`;
    const contents = [owner, server, url('platform_owner', owner), url('platform_server', server)];
    if (ofDatabase.some((name) => hasSecret(directory, name)))
      throw new UsageError(
        `Of ${ofDatabase.join(', ')} some are missing in ${directory}; put them back from a copy, or remove the ` +
          'others if no database uses them.',
      );
    for (const [index, name] of ofDatabase.entries()) files.push([name, () => contents[index] ?? '']);
  }
  const missing = files
    .filter(([name]) => !hasSecret(directory, name))
    .map(([name, make]) => ({ name, content: make(), setting: settingOf(name) }));
  const keys = Object.fromEntries(missing.flatMap(({ setting, content }) => (setting ? [[setting, content]] : [])));
  const wrapped = kms === null ? keys : await wrapSettings(kms, keys);
  for (const { name, content, setting } of missing)
    writeSecret(directory, name, (setting && wrapped[setting]) ?? content);
  return missing.map(({ name }) => name);
}

/** The setting of a key, or undefined for a password. */
function settingOf(file: string): KeySetting | undefined {
  return keySettings.find((name) => name.toLowerCase() === file);
}

function newKey(): string {
  return randomBytes(32).toString('base64');
}

function newPassword(): string {
  return randomBytes(24).toString('base64url');
}
