import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Log } from '../observability/log.ts';
import { type Config, ConfigError, type LogLevel } from '../settings/config.ts';

/** The data for the child process. */
export interface FillTask {
  config: Config;
  ownerUrl: string;
}

export type FillMessage =
  | { kind: 'logged'; level: LogLevel; fields: Record<string, unknown>; message: string }
  | { kind: 'failed'; sentence: string }
  | { kind: 'filled' };

/**
 * Fills a new database in a child process, which ends with this one. The demo needs every domain and several hundred
 * megabytes, which this process would keep.
 */
export async function fillInChild(config: Config, ownerUrl: string, log: Log): Promise<void> {
  const child = fork(join(import.meta.dirname, 'fill-child.ts'), {
    serialization: 'advanced',
    // Without the flags that keep the server small, and without storing compiled code, which the server does.
    execArgv: [],
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'], // a command may print its result on standard output
  });
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  let failure: string | undefined;
  child.on('message', (message: FillMessage) => {
    if (message.kind === 'failed') failure = message.sentence;
    else if (message.kind === 'logged' && message.level !== 'silent')
      log[message.level](message.fields, message.message);
  });
  child.send({ config, ownerUrl } satisfies FillTask, () => {}); // a child that is gone is seen at `exit`
  const [status, signal] = (await once(child, 'exit')) as [number | null, string | null];
  process.removeListener('exit', end);
  if (failure !== undefined) throw new ConfigError(failure);
  if (status !== 0) throw new Error(`The process that fills the database ended with ${signal ?? `status ${status}`}.`);
}
