import cluster, { type Worker } from 'node:cluster';
import type { Readable, Writable } from 'node:stream';
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import { directUrlOf } from '../database/pool.ts';
import { createLog, type Log } from '../observability/log.ts';
import { type DatabaseUrls, openDatabaseServer, prepareDatabase } from '../operating/prepare-database.ts';
import { openMetricsServer } from '../runtime/http-server.ts';
import { poolShare } from '../runtime/pool-share.ts';
import { type Config, ConfigError } from '../settings/config.ts';
import { readdressDemo } from '../settings/demo-credentials.ts';
import { type PlainKeys, plainKeysOf } from '../settings/wrapped-keys.ts';

const lineEnd = 0x0a;

/** Writes only complete lines, so that the lines of several processes are never mixed. */
function forwardLines(from: Readable | null, to: Pick<Writable, 'write'>): void {
  let rest = Buffer.alloc(0);
  from?.on('data', (data: Buffer) => {
    const end = data.lastIndexOf(lineEnd) + 1;
    if (end > 0) to.write(Buffer.concat([rest, data.subarray(0, end)]));
    rest = end > 0 ? Buffer.from(data.subarray(end)) : Buffer.concat([rest, data]);
  });
  from?.on('end', () => rest.length > 0 && to.write(rest));
}

type MetricValues = MetricObjectWithValues<MetricValue<string>>[];

/** A message of the primary process to a worker. A worker starts with the first message. */
export type ToWorker =
  | { kind: 'start'; urls: DatabaseUrls; poolSize: number; logFormat: Config['logFormat']; keys: PlainKeys }
  | { kind: 'stop' }
  /** Requests the metrics of this worker. */
  | { kind: 'measure'; id: number }
  /** Answers `sum`. */
  | { kind: 'summed'; id: number; text: string };

export type ToPrimary =
  | { kind: 'ready' }
  | { kind: 'failed'; sentence: string }
  | { kind: 'measured'; id: number; values: MetricValues }
  /** Requests the metrics of all workers. */
  | { kind: 'sum'; id: number };

/** Sends a message. It is lost if the worker has ended. */
function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}

interface WorkerPool {
  /** Rejects with the error of the first worker that cannot start. */
  ready: Promise<void>;
  /** The workers that serve. */
  serving(): Worker[];
  /** Stops the workers and waits for their end. */
  stop(): Promise<void>;
}

interface CrewOptions {
  size: number;
  start: Extract<ToWorker, { kind: 'start' }>;
  log: Log;
  received(worker: Worker, message: ToPrimary): void;
}

/** The delay before a worker that ended is replaced. It increases with each end within a minute. */
const backOff = { firstMs: 100, maxMs: 30_000, forgottenAfterMs: 60_000 };

/** Forks the workers and replaces those that end. One that cannot start at first is not replaced. */
function startWorkers({ size, start, log, received }: CrewOptions): WorkerPool {
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
    send(worker, start);
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
  // Workers that remain when this process ends, after a second signal or a stop that took too long.
  process.once('exit', () => {
    for (const worker of living) worker.process.kill('SIGKILL');
  });
  return {
    ready: ready.promise,
    serving: () => [...serving],
    stop() {
      state = 'stopping';
      for (const timer of waiting) clearTimeout(timer);
      for (const worker of living) send(worker, { kind: 'stop' });
      if (living.size === 0) ended.resolve();
      return ended.promise;
    },
  };
}

const answerMaxMs = 2_000;

interface SummedMetrics {
  text(workers: readonly Worker[]): Promise<string>;
  measured(worker: Worker, id: number, values: MetricValues): void;
}

/** The metrics of all workers, summed. A worker that ends or does not answer in time is left out. */
function sumMetrics(): SummedMetrics {
  let asked = 0;
  const answers = new Map<string, (values: MetricValues) => void>();

  function ask(worker: Worker, id: number): Promise<MetricValues> {
    return new Promise((resolve) => {
      const key = `${worker.id}/${id}`;
      const answer = (values: MetricValues): void => {
        clearTimeout(timer);
        worker.off('exit', gone);
        answers.delete(key);
        resolve(values);
      };
      const gone = (): void => answer([]);
      const timer = setTimeout(gone, answerMaxMs);
      worker.once('exit', gone);
      answers.set(key, answer);
      send(worker, { kind: 'measure', id });
    });
  }

  return {
    async text(workers) {
      const id = ++asked;
      const values = await Promise.all(workers.map((worker) => ask(worker, id)));
      return AggregatorRegistry.aggregate(values).metrics();
    },
    measured: (worker, id, values) => answers.get(`${worker.id}/${id}`)?.(values),
  };
}

export interface Primary {
  config: Config;
  log: Log;
  close(): Promise<void>;
}

/**
 * The process of `WORKERS` above 1 that serves no call: it prepares the database, forks the workers, passes connections
 * to them in turn, and stops them before the database.
 */
export async function startPrimary(config: Config): Promise<Primary> {
  const opened = new AsyncDisposableStack();
  try {
    const log = createLog({ level: config.logLevel, format: config.logFormat, hasPid: true });
    const urls = await openDatabaseServer(config, log, opened);
    await prepareDatabase(config, urls, log);
    const poolSize = await poolShare(config, directUrlOf(config) ?? urls.url, log);
    // A worker that replaces another needs neither a key management service nor a file that may have changed.
    const keys = plainKeysOf(config);
    const sum = sumMetrics();
    const crew = startWorkers({
      size: config.workers,
      start: { kind: 'start', urls, poolSize, logFormat: config.logFormat, keys },
      log,
      received(worker, message) {
        if (message.kind === 'measured') sum.measured(worker, message.id, message.values);
        if (message.kind === 'sum')
          void sum.text(crew.serving()).then((text) => send(worker, { kind: 'summed', id: message.id, text }));
      },
    });
    opened.defer(crew.stop);
    await crew.ready;
    if (config.database.kind === 'embedded') readdressDemo(config);
    const metrics = { text: () => sum.text(crew.serving()), contentType: Registry.PROMETHEUS_CONTENT_TYPE };
    await openMetricsServer(config, metrics, opened);
    return { config, log, close: () => opened.disposeAsync() };
  } catch (error) {
    // The first failure is the one to report.
    await opened.disposeAsync().catch(() => {});
    throw error;
  }
}
