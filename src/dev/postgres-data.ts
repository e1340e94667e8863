import { chmodSync, chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../runtime/config.ts';
import { type Run, run } from './postgres-programs.ts';
import { superuser } from './postgres-server.ts';

/** Creates the data directory under another name and renames it, so that it is never incomplete. */
export async function initializeData(dir: string, password: string, initdb: string, as: Run): Promise<void> {
  const parent = dirname(dir);
  mkdirSync(parent, { recursive: true });
  const draft = `${dir}.new-${process.pid}`;
  const passwordFile = `${draft}.password`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft);
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (as.uid !== undefined && as.gid !== undefined)
    for (const path of [draft, passwordFile]) chownSync(path, as.uid, as.gid);
  chmodSync(draft, 0o700);
  try {
    await run(
      initdb,
      [
        '-D',
        draft,
        '-U',
        superuser,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--locale=C',
        '--encoding=UTF8',
        '--no-instructions',
        '--no-sync',
      ],
      as,
    );
    renameSync(draft, dir);
  } catch (error) {
    if (existsSync(join(dir, 'PG_VERSION'))) return;
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
    const [, reason = said.trim().split('\n').at(-1)] = /error: +(.*)/.exec(said) ?? [];
    throw new ConfigError(
      `The embedded PostgreSQL could not make its data in ${dir}: ${reason}. Set PLATFORM_DIR to a folder that this ` +
        'user may write, or DATABASE_URL to a server of your own.',
      { cause: error },
    );
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(draft, { recursive: true, force: true });
  }
}
