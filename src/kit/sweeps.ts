import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

/** Work that is found in the database and done again and again: whoever finds a due row does it, on every process. */
export interface Sweep {
  name: string;
  everyMs: number;
  /** One pass. It may be long; `stopping` tells it to leave the rest to the next. */
  run(stopping: AbortSignal): Promise<unknown>;
}

/** What became of a sweep's passes in this process. */
export interface SweepRun {
  name: string;
  everyMs: number;
  runs: number;
  failures: number;
  isRunning: boolean;
  lastStartedAt: Date | null;
  lastDurationMs: number | null;
  lastError: string | null;
  lastErrorAt: Date | null;
}

/** By the sweeps' names, in their order. */
export type SweepRuns = Map<string, SweepRun>;

const errorLengthMax = 500;

/** A stop must not wait longer: what a pass leaves behind, the next start finds. */
const stopMaxMs = 1_000;

/** Runs each sweep at once and then at its pace, never twice at the same time. `stop` waits for those under way, but not for ever. */
export function startSweeps(
  sweeps: readonly Sweep[],
  { log, clock, sweepRuns }: { log: Log; clock: Clock; sweepRuns: SweepRuns },
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const loops = sweeps.map((sweep) => {
    const noted: SweepRun = {
      name: sweep.name,
      everyMs: sweep.everyMs,
      runs: 0,
      failures: 0,
      isRunning: false,
      lastStartedAt: null,
      lastDurationMs: null,
      lastError: null,
      lastErrorAt: null,
    };
    sweepRuns.set(sweep.name, noted);
    return loop(sweep, noted, { log, clock }, stopping.signal);
  });
  return {
    async stop() {
      stopping.abort();
      const late = new AbortController();
      await Promise.race([Promise.all(loops), pause(stopMaxMs, late.signal)]);
      late.abort();
    },
  };
}

async function loop(
  { name, everyMs, run }: Sweep,
  noted: SweepRun,
  { log, clock }: { log: Log; clock: Clock },
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    const startedAt = performance.now();
    Object.assign(noted, { isRunning: true, lastStartedAt: clock.now(), runs: noted.runs + 1 });
    try {
      await run(stopping);
    } catch (error) {
      // The rows are still there: the next pass finds them again.
      log.warn({ err: error, sweep: name }, 'A sweep failed and will run again.');
      const message = error instanceof Error ? error.message : String(error);
      Object.assign(noted, {
        failures: noted.failures + 1,
        lastError: message.slice(0, errorLengthMax),
        lastErrorAt: clock.now(),
      });
    }
    Object.assign(noted, { isRunning: false, lastDurationMs: Math.round(performance.now() - startedAt) });
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
