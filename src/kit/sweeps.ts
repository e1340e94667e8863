import type { Log } from './log.ts';

/** Work that is found in the database and done again and again: whoever finds a due row does it, on every process. */
export interface Sweep {
  name: string;
  everyMs: number;
  /** One pass. It may be long; `stopping` tells it to leave the rest to the next. */
  run(stopping: AbortSignal): Promise<unknown>;
}

/** A stop must not wait longer: what a pass leaves behind, the next start finds. */
const stopMaxMs = 1_000;

/** Runs each sweep at once and then at its pace, never twice at the same time. `stop` waits for those under way, but not for ever. */
export function startSweeps(sweeps: readonly Sweep[], log: Log): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const loops = sweeps.map((sweep) => loop(sweep, log, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      const late = new AbortController();
      await Promise.race([Promise.all(loops), pause(stopMaxMs, late.signal)]);
      late.abort();
    },
  };
}

async function loop({ name, everyMs, run }: Sweep, log: Log, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      await run(stopping);
    } catch (error) {
      // The rows are still there: the next pass finds them again.
      log.warn({ err: error, sweep: name }, 'A sweep failed and will run again.');
    }
    await pause(everyMs, stopping);
  }
}

function pause(ms: number, stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stopping.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      stopping.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    stopping.addEventListener('abort', done);
  });
}
