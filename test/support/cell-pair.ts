import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { asServerRole } from '../../src/local/postgres-programs.ts';
import { startTestPlatform, type TestPlatform, type TestPlatformOptions } from './platform.ts';
import { programEnv } from './program-env.ts';

const root = join(import.meta.dirname, '..', '..');

/** Two cells with the same keys, and the command that moves a partner from the first to the second. */
export interface CellPair {
  first: TestPlatform;
  second: TestPlatform;
  /** Starts the command in the second cell. The environment may replace its settings. */
  move(args: readonly string[], env?: Record<string, string>): MoveProcess;
  close(): Promise<void>;
}

export interface MoveProcess {
  process: ChildProcess;
  /** What it has said of its steps so far. */
  said(): string;
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

export async function startCellPair(options: Pick<TestPlatformOptions, 'clock'> = {}): Promise<CellPair> {
  const keys = {
    VAULT_KEYS: `test:${randomBytes(32).toString('base64')}`,
    FINGERPRINT_KEY: randomBytes(32).toString('base64'),
    IDP_SECRET: randomBytes(32).toString('base64'),
  };
  const first = await startTestPlatform({ ...options, env: keys });
  const second = await startTestPlatform({ ...options, env: { ...keys, CELL: 'b' } });
  return {
    first,
    second,
    move: (args, env = {}) =>
      run(args, {
        ...keys,
        NODE_ENV: 'test',
        CELL: 'b',
        DATABASE_URL: asServerRole(second.databaseUrl),
        MIGRATION_DATABASE_URL: second.databaseUrl,
        SOURCE_DATABASE_URL: first.databaseUrl,
        ...env,
      }),
    async close() {
      await first.close();
      await second.close();
    },
  };
}

function run(args: readonly string[], env: Record<string, string>): MoveProcess {
  const child = spawn(process.execPath, [join(root, 'src', 'cli', 'partner-move.ts'), ...args], {
    cwd: root,
    env: { ...programEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()));
  return {
    process: child,
    said: () => said.stderr,
    ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said }))),
  };
}
