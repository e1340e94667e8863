import { ConfigError, loadConfig } from './kit/config.ts';
import { AlreadyRunning } from './kit/embedded-postgres.ts';
import { type Platform, startPlatform } from './start.ts';
import { welcome } from './welcome.ts';

/** The stop may take ten seconds; whatever still hangs then is left behind. */
const stopMaxMs = 9_500;
/** Ctrl-C under npm arrives twice, from the terminal and from npm: the second one must not cut the stop short. */
let stopping: Promise<void> | undefined;

try {
  const platform = await startPlatform(loadConfig());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void (stopping ??= stop(platform)));
  process.stdout.write(welcome(platform.env.config));
} catch (error) {
  // What the operator can put right is one sentence; anything else is a fault, and its trace is wanted.
  const expected = error instanceof ConfigError || error instanceof AlreadyRunning;
  process.stderr.write(
    `${expected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exit(1);
}

async function stop(platform: Platform): Promise<void> {
  setTimeout(() => process.exit(1), stopMaxMs).unref();
  try {
    await platform.close();
    process.exit(0);
  } catch (error) {
    platform.env.log.error({ err: error }, 'The stop was not clean.');
    process.exit(1);
  }
}
