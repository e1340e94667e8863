import { createLog } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { describeFailure } from '../runtime/failures.ts';
import { onStopSignal } from '../runtime/stop-signals.ts';
import { type Platform, startPlatform } from '../server.ts';
import type { Config } from '../settings/config.ts';
import { loadConfig } from '../settings/load-config.ts';
import type { ToPrimary, ToWorker } from './primary.ts';

/** Before the primary gives up at 9.5 s. */
const stopMaxMs = 9_000;
let platform: Platform | undefined;
let isStopping = false;
let asked = 0;
const sums = new Map<number, (text: string) => void>();

/**
 * Serves as one of several processes: the primary has prepared the database, and tells it when to start and to stop.
 */
export function runWorker(): void {
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'start') void start(message);
    if (message.kind === 'stop') void stop();
    if (message.kind === 'measure') void measure(message.id);
    if (message.kind === 'summed') {
      sums.get(message.id)?.(message.text);
      sums.delete(message.id);
    }
  });
  // A signal to all processes of a terminal or service arrives here too.
  onStopSignal(
    () => void stop(),
    () => process.exit(1),
  );
}

async function start({ urls, poolSize, logFormat, keys }: Extract<ToWorker, { kind: 'start' }>): Promise<void> {
  try {
    const config = shareOf(loadConfig(process.env, { unwrapped: keys }), poolSize);
    // Its output is a pipe to the primary, which may write to a terminal.
    const log = createLog({ level: config.logLevel, format: logFormat, hasPid: true });
    platform = await startPlatform(config, { log, prepared: urls, shareMetrics });
    say({ kind: 'ready' });
  } catch (error) {
    process.send?.({ kind: 'failed', sentence: describeFailure(error) } satisfies ToPrimary, () => process.exit(1));
  }
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

/** Every worker answers with the metrics of all workers. */
function shareMetrics(own: Metrics): Metrics {
  return {
    ...own,
    text: () =>
      new Promise((resolve) => {
        const id = ++asked;
        sums.set(id, resolve);
        say({ kind: 'sum', id });
      }),
  };
}

async function measure(id: number): Promise<void> {
  if (platform) say({ kind: 'measured', id, values: await platform.services.metrics.values() });
}

async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  if (!platform) process.exit(0);
  setTimeout(() => process.exit(1), stopMaxMs).unref();
  try {
    await platform.close();
    process.exit(0);
  } catch (error) {
    platform.services.log.error({ err: error }, 'The stop of a worker was not clean.');
    process.exit(1);
  }
}

function say(message: ToPrimary): void {
  // If the primary is gone, this process ends too.
  process.send?.(message, () => {});
}
