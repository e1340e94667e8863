import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readArguments, runCommand } from './run-command.ts';
import { UsageError } from './usage-error.ts';

const help = `Makes the secrets of a production deployment, a file each, for the settings that end in _FILE.

  npm run secrets -- <directory> [--database-host db] [--database platform]

A file that exists is left as it is, so a second run changes nothing. Back the directory up apart from the
database: without vault_keys and fingerprint_key the stored cards are lost.
`;

await runCommand(async () => {
  const options = {
    'database-host': { type: 'string', default: 'db' },
    database: { type: 'string', default: 'platform' },
  } as const;
  const { values, positionals } = readArguments(() => parseArgs({ options, allowPositionals: true }), help);
  const [directory, ...more] = positionals;
  if (directory === undefined || more.length > 0) throw new UsageError('Name one directory.', help);
  const made = makeSecrets(resolve(directory), values['database-host'], values.database);
  process.stdout.write(made.length === 0 ? 'All secrets exist.\n' : `Made ${made.join(', ')} in ${directory}.\n`);
  return 0;
});

/** Makes the files that are missing, and returns their names. */
function makeSecrets(directory: string, host: string, database: string): string[] {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const place = (name: string): string => join(directory, name);
  const files: [string, () => string][] = [
    ['vault_keys', () => `${new Date().toISOString().slice(0, 10)}:${newKey()}`],
    ['fingerprint_key', newKey],
    ['audit_keys', () => `${new Date().toISOString().slice(0, 10)}:${newKey()}`],
    ['idp_secret', newKey],
  ];
  // A URL has the password in it: all four files are of one run.
  const ofDatabase = ['postgres_password', 'server_password', 'migration_database_url', 'database_url'];
  if (ofDatabase.some((name) => !existsSync(place(name)))) {
    const [owner, server] = [newPassword(), newPassword()];
    const url = (user: string, password: string): string => `postgresql://${user}:${password}@${host}/${database}`;
    const contents = [owner, server, url('platform_owner', owner), url('platform_server', server)];
    if (ofDatabase.some((name) => existsSync(place(name))))
      throw new UsageError(
        `Of ${ofDatabase.join(', ')} some are missing in ${directory}; put them back from a copy, or remove the ` +
          'others if no database uses them.',
      );
    for (const [index, name] of ofDatabase.entries()) files.push([name, () => contents[index] ?? '']);
  }
  const missing = files.filter(([name]) => !existsSync(place(name)));
  for (const [name, make] of missing) writeWhole(place(name), make());
  return missing.map(([name]) => name);
}

/** A crash leaves all of a file or nothing. A file that another process has made meanwhile is an error. */
function writeWhole(file: string, content: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${content}\n`, { mode: 0o600 });
  try {
    linkSync(draft, file);
  } finally {
    rmSync(draft);
  }
}

function newKey(): string {
  return randomBytes(32).toString('base64');
}

function newPassword(): string {
  return randomBytes(24).toString('base64url');
}
