import { resolve } from 'node:path';
import { keyChecksOf } from '../database/backup/key-checks.ts';
import { writeBackup } from '../database/backup/write-backup.ts';
import { systemClock } from '../kit/clock.ts';
import { parseKeyRing } from '../kit/encryption/key-ring.ts';
import { openConfig } from '../open-config.ts';
import { createLog } from '../runtime/log.ts';
import { platformVersion } from '../runtime/version.ts';
import { keysOf } from './backup-keys.ts';
import { assertDatabaseExists, databaseOf } from './command-database.ts';
import { runCommand } from './run-command.ts';
import { UsageError } from './usage-error.ts';

// npm run backup -- <file>: writes the rows of the database to a file. The platform may run meanwhile. Exits with 1 if
// something stored needs a key that the settings do not have.
await runCommand(async () => {
  const [given, ...more] = process.argv.slice(2);
  if (given === undefined || given.startsWith('-') || more.length > 0)
    throw new UsageError('Name the file to write, such as: npm run backup -- platform.backup');
  const file = resolve(given);
  const config = await openConfig(process.env, { isCommand: true });
  assertDatabaseExists(config);
  const { url, stop } = await databaseOf(config, createLog({ level: 'warn', destination: process.stderr }));
  try {
    const keys = keyChecksOf(keysOf(config));
    const about = { version: platformVersion(), takenAt: systemClock.now().toISOString(), keys };
    const { manifest, tables, rows } = await writeBackup(
      { url, vaultUrl: config.vaultDatabase?.url ?? null },
      file,
      about,
    );
    process.stdout.write(`${file}: ${rows} rows of ${tables} tables, of version ${manifest.version}.\n`);
    const settings = Object.entries(keys).map(([name, ids]) => [name, ...Object.keys(ids)].join(' ').trim());
    const kept = config.database.kind === 'embedded' ? ' (secrets.json in PLATFORM_DIR)' : '';
    process.stdout.write(
      `The keys are not in it${kept}. Without them the stored cards are lost: keep a copy of ${settings.join(', ')} ` +
        'in another place.\n',
    );
    const { keys: ring } = parseKeyRing(config.vaultKeys);
    const missing = manifest.vaultKeysInUse.filter((id) => !ring.has(id));
    for (const id of missing)
      process.stderr.write(`VAULT_KEYS has no key "${id}", which stored secrets of this backup need.\n`);
    return missing.length > 0 ? 1 : 0;
  } finally {
    await stop();
  }
});
