import { type ChildProcess, fork, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../support/ports.ts';
import type { Load, Measured } from './measure-load.ts';

export interface Server {
  port: number;
  pid: number;
  /** From the start of the process until it is first ready. */
  readyMs: number;
  stop(): Promise<void>;
}

/** A server in a separate process. Its log is written and discarded. */
export async function startServer(
  script: string,
  env: Record<string, string>,
  nodeArguments: readonly string[] = [],
): Promise<Server> {
  const port = await freePort();
  const begun = performance.now();
  const child = spawn(process.execPath, [...nodeArguments, script], {
    env: {
      PATH: process.env['PATH'],
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      // The name by which the load generator calls it.
      ALLOWED_HOSTS: 'localhost',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // A failed bench must not leave a server running.
  process.once('exit', () => child.kill('SIGKILL'));
  await untilReady(port, child);
  const readyMs = performance.now() - begun;
  return { port, pid: child.pid ?? 0, readyMs, stop: () => stopped(child) };
}

async function untilReady(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode} before it was ready.`);
    const ready = await fetch(`http://127.0.0.1:${port}/health/ready`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ready) return;
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

function stopped(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

export interface LoadGenerator {
  pid: number;
  run(load: Load): Promise<Measured>;
  stop(): Promise<void>;
}

export function startLoadGenerator(script = 'load.ts', env: Record<string, string> = {}): LoadGenerator {
  const child = fork(join(import.meta.dirname, script), { env: { ...process.env, ...env } });
  return {
    pid: child.pid ?? 0,
    run: (load) =>
      new Promise((resolve, reject) => {
        child.once('message', (answer) => {
          const { error } = answer as { error?: string };
          if (error === undefined)
            resolve(answer as Measured); // the child sends these two
          else reject(new Error(error));
        });
        child.send(load);
      }),
    stop: () => stopped(child),
  };
}

/** The processor time of a server with its workers. */
export function serverCpuMs(pid: number): number {
  return processesOf(pid).reduce((sum, each) => sum + orZero(() => cpuMs(each)), 0);
}

/** The resident memory of the largest of its processes. */
export function largestMb(pid: number): number {
  return Math.max(...processesOf(pid).map((each) => orZero(() => residentMb(each))));
}

function processesOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return [pid, ...children.map(Number)];
}

/** Processor time used by a process, in milliseconds. Linux counts in hundredths of a second. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The processor time of a PostgreSQL server: its postmaster, its current processes and those that have ended. */
export function postgresCpuMs(dir: string): number {
  const postmaster = readFileSync(join(dir, 'postmaster.pid'), 'utf8').split('\n')[0] ?? '';
  const own = readFileSync(`/proc/${postmaster}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const ended = (Number(own[13]) + Number(own[14])) * 10;
  const living = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === postmaster);
  return living.reduce(
    (sum, pid) => sum + orZero(() => cpuMs(Number(pid))),
    orZero(() => cpuMs(Number(postmaster))) + ended,
  );
}

function parentOf(pid: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1];
  } catch {
    return undefined;
  }
}

/** A process may end while it is read. */
function orZero(read: () => number): number {
  try {
    return read();
  } catch {
    return 0;
  }
}

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
