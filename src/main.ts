import { welcomeMessage } from './banner.ts';
import { describeFailure } from './runtime/describe-failure.ts';
import { loadConfig } from './runtime/load-config.ts';
import { onStopSignal } from './runtime/stop-signals.ts';
import { type Platform, startPlatform } from './server.ts';

/** A stop may take ten seconds; what is still open then is abandoned. */
const stopMaxMs = 9_500;
let platform: Platform | undefined;

onStopSignal(
  (reason) => {
    if (platform) return void stop(platform, reason);
    process.stdout.write(`The start was interrupted by ${reason}.\n`);
    // The embedded database is stopped at the exit, and a database that was not filled is filled by the next start.
    process.exit(0);
  },
  () => {
    process.stderr.write('A second signal: the platform ends at once.\n');
    process.exit(1);
  },
);

try {
  platform = await startPlatform(loadConfig());
  process.stdout.write(welcomeMessage(platform.services.config));
} catch (error) {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exit(1);
}

async function stop({ services: { log }, close }: Platform, reason: string): Promise<void> {
  log.info(`Stopping after ${reason}: calls in progress are finished. A second signal ends them.`);
  setTimeout(() => process.exit(1), stopMaxMs).unref();
  try {
    await close();
    log.info('The platform has stopped.');
    process.exit(0);
  } catch (error) {
    log.error({ err: error }, 'The stop was not clean.');
    process.exit(1);
  }
}
