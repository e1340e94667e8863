import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openBackup } from '../database/backup/backup-reader.ts';
import { checksOf, compareKeys, type StoredCheck } from '../keys/checks.ts';
import { createLog } from '../observability/log.ts';
import { openConfig } from '../operating/open-config.ts';
import { restoreInto } from '../operating/restore-database.ts';
import { type Config, ConfigError } from '../settings/config.ts';
import { readArguments, runCommand, UsageError } from './command.ts';

const help = `Restores a backup into a database without rows, and brings it to this version.

  npm run restore -- <file> [--check] [--without-keys]

  --check         only compares the keys and the version of the backup with those here
  --without-keys  restores although keys are missing: what they encrypt cannot be read
`;

await runCommand(async () => {
  const options = { check: { type: 'boolean' }, 'without-keys': { type: 'boolean' } } as const;
  const { values, positionals } = readArguments(() => parseArgs({ options, allowPositionals: true }), help);
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError('Name the file of a backup.', help);
  const config = await openConfig(process.env, { isCommand: true });
  return restore(config, resolve(file), values.check ?? false, values['without-keys'] ?? false);
});

async function restore(config: Config, file: string, isCheck: boolean, isWithoutKeys: boolean): Promise<number> {
  const { manifest, reader } = await openBackup(file);
  try {
    process.stdout.write(`A backup of ${manifest.takenAt}, of version ${manifest.version}.\n`);
    const stored = manifest.keys as StoredCheck[];
    const { problems } = compareKeys(checksOf(config), stored, manifest.vaultKeysInUse, 'add');
    for (const problem of problems) process.stderr.write(`${problem}\n`);
    if (problems.length > 0 && !isWithoutKeys)
      throw new ConfigError(
        'Nothing was restored: without these keys, what they encrypt cannot be read. Set them as they were when the ' +
          'backup was taken, or restore without them with --without-keys.',
      );
    if (isCheck) return 0;
    const log = createLog({ level: 'warn', destination: process.stderr });
    let rows = 0;
    if (config.database.kind === 'server') {
      rows = await restoreInto(config, config.database, { manifest, reader }, log);
    } else {
      if (existsSync(join(config.database.dir, 'PG_VERSION')))
        throw new ConfigError(
          `There is a database in ${config.database.dir}: move that folder away first, or set another PLATFORM_DIR.`,
        );
      const { startLocalDatabase } = await import('../local/embedded-postgres.ts');
      const { localUrls } = await import('../local/postgres-programs.ts');
      const { stop } = await startLocalDatabase(config, config.database, log, {
        fill: async (ownerUrl) => {
          rows = await restoreInto(config, localUrls(ownerUrl), { manifest, reader }, log);
        },
      });
      await stop();
    }
    process.stdout.write(
      `${rows} rows were restored. Now prove them: npm run keys -- check, npm run ledger:verify, ` +
        'npm run audit:verify.\n',
    );
    return 0;
  } finally {
    reader.close();
  }
}
