import { Piscina } from 'piscina';

let pool: Piscina | undefined;

/** Starts the thread, so that loading it does not count as time of a pattern. It ends when it is idle for a minute. */
export async function startPatternThread(): Promise<void> {
  pool ??= newPool();
  if (pool.threads.length === 0) await pool.run(null, { name: 'warmUp' });
}

function newPool(): Piscina {
  const created = new Piscina({
    filename: new URL('./pattern-worker.ts', import.meta.url).href,
    name: 'matchPattern',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 60_000,
    // With atomics the thread would block its event loop between patterns.
    atomics: 'disabled',
    recordTiming: false,
    execArgv: [],
    env: {},
    // V8 may end the whole process when the heap of a thread is full; the time of a match bounds what it can fill.
    resourceLimits: { maxOldGenerationSizeMb: 2_048 },
  });
  // A thread that fails between two patterns is replaced by the next one.
  created.on('error', () => undefined);
  return created;
}

/** Searches for a pattern in the thread. Throws if that takes longer than the time given, or fails. */
export async function matchInThread(pattern: string, text: string, maxMs: number): Promise<boolean> {
  const signal = AbortSignal.timeout(Math.max(0, Math.ceil(maxMs)));
  return (await pool?.run({ pattern, text }, { signal })) === true;
}
