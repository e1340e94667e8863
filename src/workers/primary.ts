import { Registry } from 'prom-client';
import { directUrlOf } from '../database/session-settings.ts';
import { openDatabaseServer } from '../open-database-server.ts';
import { prepareDatabase } from '../prepare-database.ts';
import type { Config } from '../runtime/config.ts';
import { readdressDemo } from '../runtime/demo-credentials.ts';
import { createLog, type Log } from '../runtime/log.ts';
import { openMetricsServer } from '../runtime/metrics-server.ts';
import { plainKeysOf } from '../runtime/wrapped-keys.ts';
import { forkCrew } from './crew.ts';
import { tell } from './messages.ts';
import { poolShare } from './pool-share.ts';
import { sumMetrics } from './sum-metrics.ts';

export interface Primary {
  config: Config;
  log: Log;
  close(): Promise<void>;
}

/**
 * The process of `WORKERS` above 1 that serves no call: it prepares the database, forks the workers, hands connections
 * to them in turn, and stops them before the database.
 */
export async function startPrimary(config: Config): Promise<Primary> {
  const opened = new AsyncDisposableStack();
  try {
    const log = createLog({ level: config.logLevel, format: config.logFormat, hasPid: true });
    const urls = await openDatabaseServer(config, log, opened);
    await prepareDatabase(config, urls, log);
    const poolSize = await poolShare(config, directUrlOf(config) ?? urls.url, log);
    // A worker that replaces another needs no key management service, and no file that was changed meanwhile.
    const keys = plainKeysOf(config);
    const sum = sumMetrics();
    const crew = forkCrew({
      size: config.workers,
      start: { kind: 'start', urls, poolSize, logFormat: config.logFormat, keys },
      log,
      received(worker, message) {
        if (message.kind === 'measured') sum.measured(worker, message.id, message.values);
        if (message.kind === 'sum')
          void sum.text(crew.serving()).then((text) => tell(worker, { kind: 'summed', id: message.id, text }));
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
