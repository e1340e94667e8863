import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ConfigError } from '../settings/config.ts';

/** Writes a database to a file in pg_dump's custom format, as of one snapshot. */
export async function dumpDatabase(url: string, file: string): Promise<void> {
  await run('pg_dump', url, [...dumpOptions, '--no-unlogged-table-data', `--file=${file}`]).ended;
}

/** Restores a file of `dumpDatabase` into an empty database in one transaction. `only`: options that select a part. */
export async function restoreDatabase(url: string, file: string, only: readonly string[] = []): Promise<void> {
  await run('pg_restore', url, [...restoreOptions, ...only, file]).ended;
}

/** Copies the rows of one table to the same table of another database, in one transaction. */
export async function copyTable(from: string, to: string, schema: string, table: string): Promise<void> {
  const restore = run('pg_restore', to, restoreOptions);
  const dump = run('pg_dump', from, [...dumpOptions, '--data-only', `--table=${schema}.${table}`]);
  dump.stdout.pipe(restore.stdin.on('error', () => {})); // the error of the program that has ended says why
  await Promise.all([dump.ended, restore.ended]);
}

const dumpOptions = ['--format=custom', '--no-owner', '--no-privileges'];
const restoreOptions = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges'];

interface Running {
  stdin: Writable;
  stdout: Readable;
  /** Rejects with a sentence for the operator. */
  ended: Promise<void>;
}

function run(program: 'pg_dump' | 'pg_restore', databaseUrl: string, options: readonly string[]): Running {
  const url = new URL(databaseUrl);
  // The arguments of a process can be read by other users.
  const env = { ...process.env, PGPASSWORD: decodeURIComponent(url.password) };
  url.password = '';
  url.search = new URLSearchParams([...url.searchParams].filter(([name]) => name.startsWith('ssl'))).toString();
  const child = spawn(program, [`--dbname=${url.href}`, ...options], { env });
  const message = text(child.stderr);
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ENOENT' ? new ConfigError(`${program} is not there. ${remedy}`, { cause: error }) : error),
    );
    child.once('close', (code) => {
      if (code === 0) return resolve();
      message.then((stderr) => reject(new ConfigError(sentenceOf(program, stderr))), reject);
    });
  });
  ended.catch(() => {}); // the caller may wait for another program first
  return { stdin: child.stdin, stdout: child.stdout, ended };
}

const remedy =
  "Debian's package postgresql-client brings it; its version must be that of the PostgreSQL server or newer " +
  '(docs/self-hosting/backup-and-restore.md).';

function sentenceOf(program: string, message: string): string {
  const lines = message.trim().split('\n');
  const [line = 'It ended without a message'] = lines.filter((one) => /error|fatal/i.test(one));
  const reason = line.replace(/^pg_\w+: (error: )?/, '').replace(/\.?$/, '.');
  return /server version/.test(message) ? `${program}: ${lines.join(' ')} ${remedy}` : `${program} failed: ${reason}`;
}
