import { welcomeMessage } from './banner.ts';
import { ConfigError } from './runtime/config.ts';
import { loadConfig } from './runtime/load-config.ts';
import { type Platform, startPlatform } from './server.ts';

/** A stop may take ten seconds; what is still open then is abandoned. */
const stopMaxMs = 9_500;
/** Ctrl-C under npm arrives twice, from the terminal and from npm: the second signal must not interrupt the stop. */
let stopping: Promise<void> | undefined;

try {
  const platform = await startPlatform(loadConfig());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void (stopping ??= stop(platform)));
  process.stdout.write(welcomeMessage(platform.services.config));
} catch (error) {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exit(1);
}

async function stop(platform: Platform): Promise<void> {
  setTimeout(() => process.exit(1), stopMaxMs).unref();
  try {
    await platform.close();
    process.exit(0);
  } catch (error) {
    platform.services.log.error({ err: error }, 'The stop was not clean.');
    process.exit(1);
  }
}

/** What the operator can correct is a sentence; anything else is a fault, and its stack is needed. */
function describeFailure(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
