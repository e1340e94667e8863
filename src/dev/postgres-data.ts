import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ConfigError } from '../runtime/config.ts';
import { type Run, runTogether } from './postgres-programs.ts';
import { superuser } from './postgres-server.ts';

/** Creates the data directory under another name and renames it, so that it is never incomplete. */
export async function initializeData(dir: string, password: string, initdb: string, as: Run): Promise<void> {
  const parent = dirname(dir);
  mkdirSync(parent, { recursive: true });
  const draft = `${dir}.new-${process.pid}`;
  const passwordFile = `${draft}.password`;
  removeDrafts(dir);
  mkdirSync(draft);
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (as.uid !== undefined && as.gid !== undefined)
    for (const path of [draft, passwordFile]) chownSync(path, as.uid, as.gid);
  chmodSync(draft, 0o700);
  const remove = (): void => {
    for (const path of [passwordFile, draft]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('exit', remove);
  try {
    await runTogether(
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
    process.removeListener('exit', remove);
    remove();
  }
}

/** What processes that were killed have left. */
function removeDrafts(dir: string): void {
  const begin = `${basename(dir)}.new-`;
  for (const name of readdirSync(dirname(dir))) {
    if (!name.startsWith(begin) || isRunning(Number.parseInt(name.slice(begin.length), 10))) continue;
    rmSync(join(dirname(dir), name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
