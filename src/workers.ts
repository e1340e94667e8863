import cluster, { type Worker } from 'node:cluster';
import type { Readable, Writable } from 'node:stream';
import { AggregatorRegistry } from 'prom-client';
import { directUrlOf } from './database/pool.ts';
import { createLog, type Log } from './observability/log.ts';
import type { Metrics } from './observability/metrics.ts';
import { isJsonOnly, writeSentence } from './observability/sentences.ts';
import { type DatabaseUrls, openDatabaseServer, prepareDatabase } from './operating/prepare-database.ts';
import { describeFailure } from './runtime/failures.ts';
import { openMetricsServer } from './runtime/http-server.ts';
import { poolShare } from './runtime/pool-share.ts';
import { onStopSignal } from './runtime/stop-signals.ts';
import type { Platform } from './server.ts';
import { type Config, ConfigError } from './settings/config.ts';
import { readdressDemo } from './settings/demo-credentials.ts';
import { loadConfig } from './settings/load-config.ts';
import { type PlainKeys, plainKeysOf } from './settings/wrapped-keys.ts';

interface Start {
  kind: 'start';
  urls: DatabaseUrls;
  poolSize: number;
  logFormat: Config['logFormat'];
  keys: PlainKeys;
}
/** A worker starts with the first message. `summed` answers `sum`; null if the workers could not be asked. */
type ToWorker = Start | { kind: 'stop' } | { kind: 'summed'; text: string | null };
type ToPrimary = { kind: 'ready' } | { kind: 'failed'; sentence: string } | { kind: 'sum' };

const pauseMs = 1_000;
/** So many ends of workers within `recentMs` end the primary, too. */
const endsMax = 5;
const recentMs = 60_000;
/** After `STOP_DELAY_MS`, and before the primary gives up at 9.5 s. */
const stopMaxMs = 9_000;
const lineEnd = 0x0a;

/**
 * Writes only complete lines, so that the lines of several processes are never mixed. With `LOG_FORMAT=json`, a line
 * that is not of the log, such as those of Node when memory is exhausted, is put into one. A line that a killed worker
 * has not ended is left out.
 */
function forwardLines(worker: Worker, from: Readable | null, to: Pick<Writable, 'write'>): void {
  let rest = Buffer.alloc(0);
  const write = (lines: Buffer): void => {
    if (!isJsonOnly()) return void to.write(lines);
    for (const line of lines.toString().trimEnd().split('\n')) {
      if (line.startsWith('{')) to.write(`${line}\n`);
      else if (line.trim() !== '') writeSentence('error', line, { worker: worker.process.pid });
    }
  };
  from?.on('data', (data: Buffer) => {
    const end = data.lastIndexOf(lineEnd) + 1;
    if (end > 0) write(Buffer.concat([rest, data.subarray(0, end)]));
    rest = end > 0 ? Buffer.from(data.subarray(end)) : Buffer.concat([rest, data]);
  });
}

interface WorkerPool {
  size: number;
  start: Start;
  log: Log;
  sum(): Promise<string>;
  giveUp(reason: string): void;
}

/** Forks the workers and replaces those that end. `ready` rejects with the error of the first that cannot start. */
function startWorkers({ size, start, log, sum, giveUp }: WorkerPool) {
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const living = new Set<Worker>();
  let state: 'starting' | 'up' | 'stopping' = 'starting';
  let starting = size;
  let ends: number[] = [];

  /** Sends a message. It is lost if the worker has ended. */
  function send(worker: Worker, message: ToWorker): void {
    if (worker.isConnected()) worker.send(message, () => {});
  }

  function add(): void {
    if (state === 'stopping') return;
    const worker = cluster.fork();
    living.add(worker);
    forwardLines(worker, worker.process.stdout, process.stdout);
    forwardLines(worker, worker.process.stderr, process.stderr);
    let sentence: string | undefined;
    worker.on('error', () => {}); // a worker that ends is seen at `close`
    worker.on('message', (message: ToPrimary) => {
      if (message.kind === 'failed') sentence = message.sentence;
      if (message.kind === 'sum')
        void sum().then(
          (text) => send(worker, { kind: 'summed', text }),
          () => send(worker, { kind: 'summed', text: null }),
        );
      if (message.kind !== 'ready' || state !== 'starting' || --starting > 0) return;
      state = 'up';
      ready.resolve();
    });
    worker.process.once('close', (code, signal) => hasEnded(worker, sentence, signal ?? `status ${code}`));
    send(worker, start);
  }

  function hasEnded(worker: Worker, sentence: string | undefined, how: string): void {
    living.delete(worker);
    if (state === 'starting')
      return ready.reject(new ConfigError(sentence ?? `A worker ended with ${how} before it was ready.`));
    if (state === 'stopping') return void (living.size === 0 && ended.resolve());
    const now = performance.now();
    ends = [...ends.filter((at) => now - at < recentMs), now];
    log.error({ worker: worker.process.pid, reason: sentence ?? how }, 'A worker has ended. It is replaced.');
    if (ends.length >= endsMax) giveUp(`${endsMax} ends of workers within a minute`);
    else setTimeout(add, pauseMs);
  }

  // Workers accept connections themselves. One that the primary hands to a worker that is killed at that moment would
  // stay open without an answer.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ silent: true });
  for (let made = 0; made < size; made++) add();
  // Workers that remain when this process ends, after a second signal or a stop that took too long.
  process.once('exit', () => {
    for (const worker of living) worker.process.kill('SIGKILL');
  });
  return {
    ready: ready.promise,
    stop(): Promise<void> {
      state = 'stopping';
      for (const worker of living) send(worker, { kind: 'stop' });
      if (living.size === 0) ended.resolve();
      return ended.promise;
    },
  };
}

export interface Primary {
  config: Config;
  log: Log;
  databaseUrl: string;
  close(): Promise<void>;
}

/**
 * The process of `WORKERS` above 1 that serves no call: it prepares the database, forks the workers, and stops them
 * before the database. `giveUp` is called when workers end again and again.
 */
export async function startPrimary(config: Config, giveUp: (reason: string) => void): Promise<Primary> {
  const opened = new AsyncDisposableStack();
  try {
    const log = createLog({ level: config.logLevel, format: config.logFormat, hasPid: true });
    const urls = await openDatabaseServer(config, log, opened);
    await prepareDatabase(config, urls, log);
    const poolSize = await poolShare(config, directUrlOf(config) ?? urls.url, log);
    // A worker that replaces another needs neither a key management service nor a file that may have changed.
    const keys = plainKeysOf(config);
    const registry = new AggregatorRegistry();
    const sum = (): Promise<string> => registry.clusterMetrics();
    const start: Start = { kind: 'start', urls, poolSize, logFormat: config.logFormat, keys };
    const crew = startWorkers({ size: config.workers, start, log, sum, giveUp });
    opened.defer(crew.stop);
    await crew.ready;
    if (config.database.kind === 'embedded') readdressDemo(config);
    await openMetricsServer(config, { text: sum, contentType: registry.contentType }, opened);
    return { config, log, databaseUrl: urls.url, close: () => opened.disposeAsync() };
  } catch (error) {
    // The first failure is the one to report.
    await opened.disposeAsync().catch(() => {});
    throw error;
  }
}

/** Serves as one of several processes. The primary has prepared the database, and says when to start and to stop. */
export function runWorker(): void {
  let platform: Platform | undefined;
  let isStopping = false;
  let requested: PromiseWithResolvers<string> | undefined;

  // If the primary is gone, this process ends too.
  const say = (message: ToPrimary, sent = (): void => {}): void => void process.send?.(message, sent);

  async function start({ urls, poolSize, logFormat, keys }: Start): Promise<void> {
    try {
      const { startPlatform } = await import('./server.ts');
      const config = shareOf(loadConfig(process.env, { unwrapped: keys }), poolSize);
      // Its output is a pipe to the primary, which may write to a terminal.
      const log = createLog({ level: config.logLevel, format: logFormat, hasPid: true });
      platform = await startPlatform(config, { log, prepared: urls, shareMetrics });
      say({ kind: 'ready' });
    } catch (error) {
      say({ kind: 'failed', sentence: describeFailure(error) }, () => process.exit(1));
    }
  }

  /** Every worker answers with the metrics of all workers. */
  function shareMetrics(own: Metrics): Metrics {
    AggregatorRegistry.setRegistries(own.registry);
    const text = (): Promise<string> => {
      if (!requested) say({ kind: 'sum' });
      requested ??= Promise.withResolvers();
      return requested.promise;
    };
    return { ...own, text };
  }

  async function stop(): Promise<void> {
    if (isStopping) return;
    isStopping = true;
    if (!platform) process.exit(0);
    setTimeout(() => process.exit(1), platform.services.config.stopDelayMs + stopMaxMs).unref();
    try {
      await platform.close();
      process.exit(0);
    } catch (error) {
      platform.services.log.error({ err: error }, 'The stop of a worker was not clean.');
      process.exit(1);
    }
  }

  process.on('message', (message: ToWorker) => {
    if (message.kind === 'start') void start(message);
    if (message.kind === 'stop') void stop();
    if (message.kind === 'summed') {
      if (message.text === null) requested?.reject(new Error('A worker did not answer with its metrics.'));
      else requested?.resolve(message.text);
      requested = undefined;
    }
  });
  new AggregatorRegistry(); // it answers when the primary asks for the metrics of this worker
  // A signal to all processes of a terminal or service arrives here too.
  onStopSignal(
    () => void stop(),
    () => process.exit(1),
  );
}

/** The limits of connections are those of all workers together. The primary serves the port of the metrics. */
function shareOf(config: Config, databasePoolSize: number): Config {
  const share = (bound: number): number => Math.ceil(bound / config.workers);
  return {
    ...config,
    databasePoolSize,
    connectionsMax: share(config.connectionsMax),
    connectionsPerAddress: share(config.connectionsPerAddress),
    metrics: { ...config.metrics, listener: null },
  };
}
