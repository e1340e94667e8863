import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { wrapSettings } from '../../operating/open-config.ts';
import { ConfigError } from '../../settings/config.ts';
import { loadKms } from '../../settings/load-config.ts';
import { type KeySetting, keySettings } from '../../settings/wrapped-keys.ts';
import { hasSecret, writeSecret } from './secret-files.ts';

interface Options {
  databaseHost: string;
  database: string;
  vaultHost?: string;
}

export async function run(directory: string, { databaseHost, database, vaultHost }: Options): Promise<void> {
  const databases = [platformDatabase(databaseHost, database)];
  if (vaultHost !== undefined) databases.push(vaultDatabase(vaultHost));
  const made = await makeSecrets(resolve(directory), databases);
  process.stdout.write(made.length === 0 ? 'All secrets exist.\n' : `Made ${made.join(', ')} in ${directory}.\n`);
}

/** The two roles of a database, and the files of their passwords and URLs. */
interface DatabaseSecrets {
  /** The names of the files with the owner's password, the server's password, the owner's URL and the server's URL. */
  names: readonly string[];
  owner: string;
  server: string;
  /** Host and name of the database, as in a URL. */
  place: string;
}

function platformDatabase(host: string, database: string): DatabaseSecrets {
  return {
    names: ['postgres_password', 'server_password', 'migration_database_url', 'database_url'],
    owner: 'platform_owner',
    server: 'platform_server',
    place: `${host}/${database}`,
  };
}

function vaultDatabase(host: string): DatabaseSecrets {
  return {
    names: ['vault_owner_password', 'vault_password', 'vault_migration_database_url', 'vault_database_url'],
    owner: 'platform_vault_owner',
    server: 'platform_vault',
    place: `${host}/platform_vault`,
  };
}

/** Creates the missing files, and returns their names. */
async function makeSecrets(directory: string, databases: readonly DatabaseSecrets[]): Promise<string[]> {
  const kms = loadKms(process.env);
  const files: [string, () => string][] = [
    ['vault_keys', () => `${new Date().toISOString().slice(0, 10)}:${newKey()}`],
    ['fingerprint_key', newKey],
    ['audit_keys', () => `${new Date().toISOString().slice(0, 10)}:${newKey()}`],
    ['idp_secret', newKey],
  ];
  for (const { names, owner, server, place } of databases) {
    if (names.every((name) => hasSecret(directory, name))) continue;
    // A URL contains the password, so all four files must be of one run.
    if (names.some((name) => hasSecret(directory, name)))
      throw new ConfigError(
        `Of ${names.join(', ')} some are missing in ${directory}; restore them from a backup, or remove the ` +
          'others if no database uses them.',
      );
    const [ownerPassword, serverPassword] = [newPassword(), newPassword()];
    const url = (user: string, password: string): string => `postgresql://${user}:${password}@${place}`;
    const contents = [ownerPassword, serverPassword, url(owner, ownerPassword), url(server, serverPassword)];
    for (const [index, name] of names.entries()) files.push([name, () => contents[index] ?? '']);
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

/** The setting of a key's file, or undefined for a password. */
function settingOf(file: string): KeySetting | undefined {
  return keySettings.find((name) => name.toLowerCase() === file);
}

function newKey(): string {
  return randomBytes(32).toString('base64');
}

function newPassword(): string {
  return randomBytes(24).toString('base64url');
}
