import cluster, { type Worker } from 'node:cluster';
import { ConfigError } from '../runtime/config.ts';
import type { Log } from '../runtime/log.ts';
import { forwardLines } from './lines.ts';
import { type ToPrimary, type ToWorker, tell } from './messages.ts';

export interface Crew {
  /** Rejects with the sentence of the first worker that cannot start. */
  ready: Promise<void>;
  /** The workers that serve. */
  serving(): Worker[];
  /** Stops the workers and waits for their end. */
  stop(): Promise<void>;
}

export interface CrewOptions {
  size: number;
  start: Extract<ToWorker, { kind: 'start' }>;
  log: Log;
  received(worker: Worker, message: ToPrimary): void;
}

/** A worker that ends is replaced at once; the second within a minute later, and so on. */
const backOff = { firstMs: 100, maxMs: 30_000, forgottenAfterMs: 60_000 };

/** Forks the workers and replaces those that end. One that cannot start at first is not replaced. */
export function forkCrew({ size, start, log, received }: CrewOptions): Crew {
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const serving = new Set<Worker>();
  const living = new Set<Worker>();
  const waiting = new Set<NodeJS.Timeout>();
  let state: 'starting' | 'up' | 'stopping' = 'starting';
  let endsInARow = 0;
  let lastEndAt = 0;

  function add(): void {
    const worker = cluster.fork();
    living.add(worker);
    forwardLines(worker.process.stdout, process.stdout);
    forwardLines(worker.process.stderr, process.stderr);
    let sentence: string | undefined;
    worker.on('error', () => {}); // a worker that ends is seen at `close`
    worker.on('message', (message: ToPrimary) => {
      if (message.kind === 'ready') isReady(worker);
      else if (message.kind === 'failed') sentence = message.sentence;
      else received(worker, message);
    });
    worker.process.once('close', (code, signal) => hasEnded(worker, sentence, signal ?? `status ${code}`));
    tell(worker, start);
  }

  function isReady(worker: Worker): void {
    serving.add(worker);
    if (state !== 'starting') return;
    if (serving.size < size) return;
    state = 'up';
    ready.resolve();
  }

  function hasEnded(worker: Worker, sentence: string | undefined, how: string): void {
    living.delete(worker);
    serving.delete(worker);
    if (state === 'starting')
      return ready.reject(new ConfigError(sentence ?? `A worker ended with ${how} before it was ready.`));
    if (state === 'stopping') return void (living.size === 0 && ended.resolve());
    const now = performance.now();
    endsInARow = now - lastEndAt < backOff.forgottenAfterMs ? endsInARow + 1 : 0;
    lastEndAt = now;
    const afterMs = Math.min(backOff.maxMs, backOff.firstMs * 2 ** endsInARow);
    log.error({ worker: worker.process.pid, reason: sentence ?? how, afterMs }, 'A worker has ended. It is replaced.');
    const timer = setTimeout(() => {
      waiting.delete(timer);
      add();
    }, afterMs);
    waiting.add(timer);
  }

  cluster.setupPrimary({ silent: true });
  for (let made = 0; made < size; made++) add();
  // What remains at the end of this process, after a second signal or a stop that took too long.
  process.once('exit', () => {
    for (const worker of living) worker.process.kill('SIGKILL');
  });
  return {
    ready: ready.promise,
    serving: () => [...serving],
    stop() {
      state = 'stopping';
      for (const timer of waiting) clearTimeout(timer);
      for (const worker of living) tell(worker, { kind: 'stop' });
      if (living.size === 0) ended.resolve();
      return ended.promise;
    },
  };
}
