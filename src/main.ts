import cluster from 'node:cluster';
import { welcomeMessage } from './local/banner.ts';
import { createLog, type Log } from './observability/log.ts';
import { isJsonOnly, writeFaultsAsJson, writeSentence } from './observability/sentences.ts';
import { openConfig } from './operating/open-config.ts';
import { openDatabaseServer } from './operating/prepare-database.ts';
import { startFacts } from './operating/start-facts.ts';
import { describeFailure } from './runtime/failures.ts';
import { onStopSignal } from './runtime/stop-signals.ts';
import type { Config } from './settings/config.ts';

interface Running {
  config: Config;
  log: Log;
  databaseUrl: string;
  close(): Promise<void>;
}

/** A stop may take ten seconds after `STOP_DELAY_MS`; whatever is still open then is abandoned. */
const stopMaxMs = 9_500;
let running: Running | undefined;
let isStopping = false;

writeFaultsAsJson();
if (cluster.isWorker) {
  const { runWorker } = await import('./workers.ts');
  runWorker();
} else await main();

async function main(): Promise<void> {
  onStopSignal(
    (reason) => {
      if (running) return void stop(running, reason);
      writeSentence('info', `The start was interrupted by ${reason}.`);
      // The embedded database is stopped at the exit, and a database that was not filled is filled by the next start.
      process.exit(0);
    },
    () => {
      writeSentence('error', 'A second signal: the platform ends at once.');
      process.exit(1);
    },
  );
  try {
    running = await start(await openConfig());
    const { config, databaseUrl, log } = running;
    log.info(startFacts(config, databaseUrl), 'The platform has started.');
    if (!isJsonOnly()) process.stdout.write(welcomeMessage(config));
  } catch (error) {
    writeSentence('fatal', describeFailure(error));
    process.exit(1);
  }
}

/**
 * With one worker this process serves; with several it is the primary, and does not load modules that only workers
 * need.
 */
async function start(config: Config): Promise<Running> {
  if (config.workers > 1) {
    const { startPrimary } = await import('./workers.ts');
    return startPrimary(config, (reason) => running && void stop(running, reason, 1));
  }
  const opened = new AsyncDisposableStack();
  try {
    const log = createLog({ level: config.logLevel, format: config.logFormat });
    // PostgreSQL starts while the modules of the server are loaded.
    const database = openDatabaseServer(config, log, opened);
    database.catch(() => {}); // the start of the platform fails with the error
    const { startPlatform } = await import('./server.ts');
    const platform = await startPlatform(config, { log, database });
    opened.defer(platform.close);
    const { url: databaseUrl } = await database;
    return { config: platform.services.config, log, databaseUrl, close: () => opened.disposeAsync() };
  } catch (error) {
    // The first failure is the one to report.
    await opened.disposeAsync().catch(() => {});
    throw error;
  }
}

async function stop({ config, log, close }: Running, reason: string, status = 0): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  log.info(`Stopping after ${reason}: calls in progress are finished. A second signal ends them.`);
  setTimeout(() => process.exit(1), config.stopDelayMs + stopMaxMs).unref();
  try {
    await close();
    log.info('The platform has stopped.');
    process.exit(status);
  } catch (error) {
    log.error({ err: error }, 'The stop was not clean.');
    process.exit(1);
  }
}
