import { join, resolve } from 'node:path';
import { withClient } from '../../database/client.ts';
import { checksOf, compareKeys, fullNameOf, isNeeded } from '../../keys/checks.ts';
import { systemClock } from '../../lib/clock.ts';
import { createLog } from '../../observability/log.ts';
import { writeSentence } from '../../observability/sentences.ts';
import { backUpServers, type Manifest, writeBackup } from '../../operating/backup.ts';
import { openConfig } from '../../operating/open-config.ts';
import type { Config } from '../../settings/config.ts';
import { assertDatabaseExists, databaseOf } from './database.ts';

export async function run(given: string): Promise<number> {
  const folder = resolve(given);
  const config = await openConfig(process.env, { isCommand: true });
  assertDatabaseExists(config);
  const manifest = await backUp(config, folder);
  process.stdout.write(`${folder}: the database, of version ${manifest.version}.\n`);
  const needed = manifest.keys.filter((one) => isNeeded(one, manifest.vaultKeysInUse)).map(fullNameOf);
  const kept = config.database.kind === 'embedded' ? ' (secrets.json in PLATFORM_DIR)' : '';
  process.stdout.write(
    `The keys are not in it${kept}. Without them the stored cards are lost: keep a copy of ${needed.join(', ')} ` +
      'in another place.\n',
  );
  const { problems } = compareKeys(checksOf(config), manifest.keys, manifest.vaultKeysInUse);
  for (const problem of problems) writeSentence('error', problem);
  return problems.length > 0 ? 1 : 0;
}

async function backUp(config: Config, folder: string): Promise<Manifest> {
  const takenAt = systemClock.now().toISOString();
  const { database } = config;
  if (database.kind === 'server') return backUpServers(config, database, folder, takenAt);
  const { copyRunningData } = await import('../../local/copy-data.ts');
  const { ownerUrl, stop } = await databaseOf(config, createLog({ level: 'warn', destination: process.stderr }));
  const url = ownerUrl ?? '';
  try {
    return await withClient(url, 'platform-backup', (main) =>
      writeBackup(folder, takenAt, config, main, null, (draft) =>
        copyRunningData(url, database.dir, join(draft, 'database')),
      ),
    );
  } finally {
    await stop();
  }
}
