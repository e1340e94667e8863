import { resolve } from 'node:path';
import { writeBackup } from '../database/backup/backup.ts';
import { checksOf, compareKeys, fullNameOf, isNeeded, readChecks, type StoredCheck } from '../keys/checks.ts';
import { systemClock } from '../lib/clock.ts';
import { createLog } from '../observability/log.ts';
import { openConfig } from '../operating/open-config.ts';
import { platformVersion } from '../settings/packages.ts';
import { assertDatabaseExists, databaseOf, runCommand, UsageError } from './command.ts';

// npm run backup -- <file>: writes the rows of the database to a file. The platform may run meanwhile. Exits with 1 if
// the keys of the settings are not those of the database: the backup is written, with checks of the right ones.
await runCommand(async () => {
  const [given, ...more] = process.argv.slice(2);
  if (given === undefined || given.startsWith('-') || more.length > 0)
    throw new UsageError('Name the file to write, such as: npm run backup -- platform.backup');
  const file = resolve(given);
  const config = await openConfig(process.env, { isCommand: true });
  assertDatabaseExists(config);
  const { url, stop } = await databaseOf(config, createLog({ level: 'warn', destination: process.stderr }));
  try {
    const { manifest, tables, rows } = await writeBackup({ url, vaultUrl: config.vaultDatabase?.url ?? null }, file, {
      version: platformVersion(),
      takenAt: systemClock.now().toISOString(),
      keysOf: readChecks,
    });
    process.stdout.write(`${file}: ${rows} rows of ${tables} tables, of version ${manifest.version}.\n`);
    const stored = manifest.keys as StoredCheck[];
    const needed = stored.filter((one) => isNeeded(one, manifest.vaultKeysInUse)).map(fullNameOf);
    const kept = config.database.kind === 'embedded' ? ' (secrets.json in PLATFORM_DIR)' : '';
    process.stdout.write(
      `The keys are not in it${kept}. Without them the stored cards are lost: keep a copy of ${needed.join(', ')} ` +
        'in another place.\n',
    );
    const { problems } = compareKeys(checksOf(config), stored, manifest.vaultKeysInUse);
    for (const problem of problems) process.stderr.write(`${problem}\n`);
    return problems.length > 0 ? 1 : 0;
  } finally {
    await stop();
  }
});
