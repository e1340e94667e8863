/** Ctrl-C under npm arrives twice, from the terminal and from npm. Signals this close together are one. */
const oneSignalMs = 1_000;
const lookMs = 500;

/**
 * Calls `stop` with the reason at the first signal, and `abandon` at a later one. The end of npm, under which the
 * server runs, is a reason too: npm forwards SIGTERM and SIGINT, but not SIGHUP, and nothing when it is killed.
 */
export function onStopSignal(stop: (reason: string) => void, abandon: () => void): void {
  let stoppedAt: number | undefined;
  const received = (reason: string): void => {
    clearInterval(watch);
    if (stoppedAt === undefined) {
      stoppedAt = performance.now();
      stop(reason);
    } else if (performance.now() - stoppedAt >= oneSignalMs) abandon();
  };
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.env['npm_lifecycle_event'] !== undefined && process.ppid !== parent) received('the end of npm');
  }, lookMs).unref();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => received(signal));
  // A terminal that was closed cannot be written to any more, which must not interrupt the stop.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
