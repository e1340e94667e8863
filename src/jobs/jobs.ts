import type { Clock, ClockCheck } from '../lib/clock.ts';
import { isOutage, outageName } from '../lib/outage.ts';
import type { Log, Outages } from '../observability/log.ts';

/** Requests for a run before the interval has ended. */
class Calls {
  #waiting = Promise.withResolvers<void>();
  #called = new AbortController();

  /** Aborted by a request, which ends the pause. */
  get next(): AbortSignal {
    return this.#called.signal;
  }

  add(): Promise<void> {
    this.#called.abort();
    return this.#waiting.promise;
  }

  /** A run has ended: resolves the requests made until now. */
  end(): void {
    this.#waiting.resolve();
    this.#waiting = Promise.withResolvers();
    this.#called = new AbortController();
  }
}

/** Work that runs repeatedly and finds its due rows in the database. The process that leases a row does its work. */
export interface Job {
  name: string;
  everyMs: number;
  /** One run. A long one ends early when `stopping` is aborted and leaves the rest to the next run. */
  run(stopping: AbortSignal): Promise<unknown>;
}

/** The runs of one job in this process. */
export interface JobRun {
  name: string;
  everyMs: number;
  runs: number;
  failures: number;
  isRunning: boolean;
  lastStartedAt: Date | null;
  lastDurationMs: number | null;
  /** The error of the latest run that failed, or the reason why the latest run was skipped. */
  lastError: string | null;
  lastErrorAt: Date | null;
  /** The latest runs that have ended, newest first. */
  recent: EndedRun[];
  /** Starts a run immediately, or waits for the one in progress. Resolves when it has ended, even if it failed. */
  runNow(): Promise<void>;
}

/** One run that has ended. */
export interface EndedRun {
  startedAt: Date;
  durationMs: number;
  /** Null if it succeeded. */
  error: string | null;
}

/** How many ended runs are kept of each job. */
export const recentRunsMax = 10;

/** By the names of the jobs, in their order. */
export type JobRuns = Map<string, JobRun>;

interface JobServices {
  log: Log;
  clock: Clock;
  clockCheck: Pick<ClockCheck, 'fault'>;
  outages: Outages;
}

const errorLengthMax = 500;

/** While the clock is off it is read no more often than this. */
const offPauseMs = 1_000;

/** A stop waits no longer: the rows that a run leaves are found after the next start. */
const stopMaxMs = 1_000;

/**
 * Runs each job immediately and then at its interval, never two runs of a job at a time, and none while the clock of
 * this server is off: other servers do the work. `stop` waits briefly for runs in progress.
 */
export function startJobs(
  jobs: readonly Job[],
  { jobRuns, ...services }: JobServices & { jobRuns: JobRuns },
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const loops = jobs.map((job) => {
    const calls = new Calls();
    const noted: JobRun = {
      name: job.name,
      everyMs: job.everyMs,
      runs: 0,
      failures: 0,
      isRunning: false,
      lastStartedAt: null,
      lastDurationMs: null,
      lastError: null,
      lastErrorAt: null,
      recent: [],
      runNow: () => calls.add(),
    };
    jobRuns.set(job.name, noted);
    return loop(job, noted, calls, services, stopping.signal);
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
  { name, everyMs, run }: Job,
  noted: JobRun,
  calls: Calls,
  { log, clock, clockCheck, outages }: JobServices,
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    const fault = await clockCheck.fault();
    if (fault !== null) {
      Object.assign(noted, { lastError: `Not run: ${fault}`, lastErrorAt: clock.now() });
      calls.end();
      await pause(Math.max(everyMs, offPauseMs), stopping, calls.next);
      continue;
    }
    const from = performance.now();
    const startedAt = clock.now();
    let failure: string | null = null;
    Object.assign(noted, { isRunning: true, lastStartedAt: startedAt, runs: noted.runs + 1 });
    try {
      await run(stopping);
    } catch (error) {
      // The rows are unchanged, and the next run finds them again.
      if (isOutage(error)) outages.note(`job ${name}`, outageName(error));
      else log.warn({ err: error, job: name }, 'A job failed. It will run again.');
      failure = (error instanceof Error ? error.message : String(error)).slice(0, errorLengthMax);
      Object.assign(noted, { failures: noted.failures + 1, lastError: failure, lastErrorAt: clock.now() });
    }
    const durationMs = Math.round(performance.now() - from);
    const recent = [{ startedAt, durationMs, error: failure }, ...noted.recent].slice(0, recentRunsMax);
    Object.assign(noted, { isRunning: false, lastDurationMs: durationMs, recent });
    calls.end();
    await pause(everyMs, stopping, calls.next);
  }
}

/**
 * Resolves after a time, or with the first signal. The signals are not combined into a new one: the loops run as long
 * as the process, so combined signals would pile up.
 */
function pause(ms: number, ...ends: AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    if (ends.some(({ aborted }) => aborted)) return resolve();
    const done = () => {
      clearTimeout(timer);
      for (const end of ends) end.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    for (const end of ends) end.addEventListener('abort', done);
  });
}
