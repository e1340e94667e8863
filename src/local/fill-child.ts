import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createLog, type Log } from '../observability/log.ts';
import { describeFailure } from '../runtime/failures.ts';
import { type Config, ConfigError, type LogLevel } from '../settings/config.ts';

/** A line of the child's log, or the end with the sentence of a failure. */
type Message = { line: string } | { failure: string | undefined };

/**
 * Fills a new database in a child process, which ends with this one. The demo needs every domain, and this process
 * would keep a hundred megabytes of it.
 */
export async function fillInChild(config: Config, ownerUrl: string, log: Log): Promise<void> {
  const child = fork(import.meta.filename, {
    serialization: 'advanced',
    // Without the flags that keep the server small, and without storing compiled code, which the server does.
    execArgv: [],
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'], // a command may print its result on standard output
  });
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  let failure: string | undefined;
  child.on('message', (message: Message) => {
    if ('failure' in message) {
      failure = message.failure;
      return;
    }
    // In the format of this process's log, and to its destination.
    const { level, msg, time: _, ...fields } = JSON.parse(message.line); // a line of createLog
    log[level as Exclude<LogLevel, 'silent'>](fields, msg);
  });
  child.send([config, ownerUrl], () => {}); // a child that is gone is seen at `exit`
  const [status, signal] = (await once(child, 'exit')) as [number | null, string | null];
  process.removeListener('exit', end);
  if (failure !== undefined) throw new ConfigError(failure);
  if (status !== 0) throw new Error(`The process that fills the database ended with ${signal ?? `status ${status}`}.`);
}

if (import.meta.main) {
  // Without its parent, no process would use the database.
  process.once('disconnect', () => process.exit(1));
  const [[config, ownerUrl]] = (await once(process, 'message')) as [[Config, string]]; // as the parent sends it
  const write = (line: string): void => void process.send?.({ line } satisfies Message);
  const log = createLog({ level: config.logLevel, destination: { write } });
  const failure = await import('./demo.ts')
    .then(({ fillDatabase }) =>
      fillDatabase({ ...config, fingerprintKey: Buffer.from(config.fingerprintKey) }, ownerUrl, log),
    )
    .then(() => undefined, describeFailure);
  process.send?.({ failure } satisfies Message, () => process.exit(failure === undefined ? 0 : 1));
}
