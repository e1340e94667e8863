import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createLog, type Log } from '../../observability/log.ts';
import { writeSentence } from '../../observability/sentences.ts';
import { assertRestorable, assertSealed, readManifest, restoreServers, wrongKeysOf } from '../../operating/backup.ts';
import { openConfig } from '../../operating/open-config.ts';
import { prepareDatabase } from '../../operating/prepare-database.ts';
import { type Config, ConfigError } from '../../settings/config.ts';

interface Options {
  check: boolean;
  withoutKeys: boolean;
  withoutSeal: boolean;
}

export async function run(given: string, { check, withoutKeys, withoutSeal }: Options): Promise<void> {
  const config = await openConfig(process.env, { isCommand: true });
  const folder = resolve(given);
  const manifest = readManifest(folder);
  process.stdout.write(`A backup of ${manifest.takenAt}, of version ${manifest.version}.\n`);
  const problems = wrongKeysOf(manifest, config);
  for (const problem of problems) writeSentence('error', problem);
  if (problems.length > 0 && !withoutKeys)
    throw new ConfigError(
      'Nothing was restored: without these keys, what they encrypt cannot be read. Set them as they were when the ' +
        'backup was taken, or restore without them with --without-keys.',
    );
  if (!withoutSeal) await assertSealed(folder, manifest, config);
  assertRestorable(manifest, config);
  if (check) return;
  const log = createLog({ level: 'warn', destination: process.stderr });
  if (config.database.kind === 'server') await restoreServers(config, config.database, folder, manifest, log);
  else await restoreEmbedded(config, config.database.dir, folder, log);
  process.stdout.write(
    'The backup was restored. Now verify it: platform keys check, platform verify ledger, platform verify audit.\n',
  );
}

async function restoreEmbedded(config: Config, dir: string, folder: string, log: Log): Promise<void> {
  if (config.database.kind === 'server') return;
  if (existsSync(join(dir, 'PG_VERSION')))
    throw new ConfigError(`There is a database in ${dir}: move that folder away first, or set another PLATFORM_DIR.`);
  const { copyFiles, giveTo } = await import('../../local/copy-data.ts');
  const { startLocalDatabase } = await import('../../local/embedded-postgres.ts');
  const { binariesOf, postgresUser } = await import('../../local/postgres-programs.ts');
  const draft = `${dir}.restored`;
  rmSync(draft, { recursive: true, force: true });
  copyFiles(join(folder, 'database'), draft);
  giveTo(draft, await postgresUser([dirname(dir), (await binariesOf()).postgres]));
  renameSync(draft, dir);
  const { stop, ...urls } = await startLocalDatabase(config, config.database, log);
  try {
    await prepareDatabase(config, urls, log, 'restore');
  } finally {
    await stop();
  }
}
