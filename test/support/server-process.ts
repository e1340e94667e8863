import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { asServerRole } from '../../src/local/postgres-programs.ts';
import { freePort } from './ports.ts';
import { programEnv } from './program-env.ts';

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A server in a separate process, started as an operator starts it, so that a kill has its real effect. */
export interface ServerProcess {
  url: string;
  process: ChildProcess;
  /** Its output, both streams in order of arrival. */
  output(): string;
  exited: Promise<Exit>;
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>;
  /** Sends SIGTERM and returns how the process ended. */
  stop(signal?: 'SIGTERM' | 'SIGINT' | 'SIGHUP'): Promise<Exit & { afterMs: number }>;
}

const root = join(import.meta.dirname, '..', '..');

/** New secrets of a server, as its environment has them. All processes on one database have the same. */
export function newSecrets(): Record<'VAULT_KEYS' | 'FINGERPRINT_KEY' | 'IDP_SECRET', string> {
  const secret = () => randomBytes(32).toString('base64');
  return { VAULT_KEYS: `test:${secret()}`, FINGERPRINT_KEY: secret(), IDP_SECRET: secret() };
}

/** Starts `node src/main.ts` and resolves once it reports that it is ready. A first start that fills the demo takes longer. */
export async function startServerProcess(env: Record<string, string>, startMaxMs = 50_000): Promise<ServerProcess> {
  const port = env['PORT'] ?? String(await freePort());
  const server = launchServer({ PORT: port, ...env });
  const up = Promise.withResolvers<void>();
  const late = setTimeout(
    () => up.reject(new Error(`The server was not up within ${startMaxMs} ms: ${server.output()}`)),
    startMaxMs,
  );
  server.process.stdout?.on('data', () => server.output().includes('is running.') && up.resolve());
  void server.exited.then(({ code, signal }) =>
    up.reject(new Error(`The server ended with ${code ?? signal} before it was up: ${server.output()}`)),
  );
  try {
    await up.promise;
    return server;
  } catch (error) {
    await server.kill();
    throw error;
  } finally {
    clearTimeout(late);
  }
}

/** A test names the database by its owner's URL; the server has a role of its own, as in production. */
function databaseUrls({ DATABASE_URL: ownerUrl, MIGRATION_DATABASE_URL }: Record<string, string>) {
  return ownerUrl === undefined || MIGRATION_DATABASE_URL !== undefined
    ? {}
    : { DATABASE_URL: asServerRole(ownerUrl), MIGRATION_DATABASE_URL: ownerUrl };
}

/** The same without waiting, for a start that is expected to fail. */
export function launchServer(env: Record<string, string>): ServerProcess {
  const child = spawn(process.execPath, [join(root, 'src', 'main.ts')], {
    cwd: root,
    env: { ...programEnv, NODE_ENV: 'test', LOG_LEVEL: 'warn', ...env, ...databaseUrls(env) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  return {
    url: `http://127.0.0.1:${env['PORT'] ?? 4000}`,
    process: child,
    output: () => output,
    exited,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async stop(signal = 'SIGTERM') {
      const requested = performance.now();
      child.kill(signal);
      return { ...(await exited), afterMs: performance.now() - requested };
    },
  };
}
