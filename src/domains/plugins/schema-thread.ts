import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { SchemaQuestion, SchemaReply } from './schema-questions.ts';

/** A worker thread that answers one question at a time. */
export interface SchemaThread {
  /**
   * Returns the answer, or `endless` if the question used more than `maxMs` of processor time or filled the heap. The
   * thread is then terminated and the next question starts a new one.
   */
  ask(question: SchemaQuestion, maxMs: number): Promise<SchemaReply>;
}

/** What a question may add to the heap, garbage of its own included; what earlier questions left does not count. */
const heapMaxBytes = 256 * 1024 * 1024;
/**
 * The limit of V8 for the whole heap. V8 may end the process instead of the thread at its limit, so a question is
 * aborted at `heapMaxBytes`, and this limit is out of reach of what fills the heap between two looks at it.
 */
const heapLimitMib = 1_024;
/** Half a second is usual. The bound is long because a start on an overloaded machine must not fail. */
const startMaxMs = 120_000;
/** The elapsed time a question may take, as a multiple of its processor time: a busy machine delays the thread. */
const elapsedTimeFactor = 20;
/** How often the use of a thread is read while it works. A question fills about 1 MiB of heap a millisecond. */
const lookEveryMs = 20;

/**
 * A pool of exactly one thread. The caller must know which thread answers its question to read that thread's processor
 * time, and piscina does not report it for a pool with several threads.
 */
export function schemaThread(): SchemaThread {
  const pool = new Piscina({
    filename: new URL('./schema-worker.ts', import.meta.url).href,
    name: 'answerQuestion',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: Infinity,
    // With atomics the thread would block its event loop between questions.
    atomics: 'disabled',
    recordTiming: false,
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapLimitMib },
  });
  // A thread that fails between two questions is replaced by the next question.
  pool.on('error', () => undefined);
  return {
    async ask(question, maxMs) {
      const worker = pool.threads[0] ?? (await startedWorker(pool));
      return answer(pool, worker, JSON.stringify(question), maxMs);
    },
  };
}

/** Starts the thread before the question is sent, so that loading it does not count as time of the question. */
async function startedWorker(pool: Piscina): Promise<Worker> {
  const failure = new AbortController();
  const fail = (error: Error): void => failure.abort(error);
  pool.once('error', fail);
  try {
    const signal = AbortSignal.any([failure.signal, AbortSignal.timeout(startMaxMs)]);
    await pool.run(null, { name: 'warmUp', signal });
  } catch (cause) {
    await pool.destroy();
    throw new Error('The thread that checks schemas did not start.', { cause });
  } finally {
    pool.off('error', fail);
  }
  const [worker] = pool.threads;
  if (!worker) throw new Error('The thread that checks schemas ended after its start.');
  return worker;
}

async function answer(pool: Piscina, worker: Worker, text: string, maxMs: number): Promise<SchemaReply> {
  const overBounds = new AbortController();
  const answered = new AbortController();
  const watching = abortAboveBounds(worker, maxMs, { overBounds, answered: answered.signal });
  const signal = AbortSignal.any([overBounds.signal, AbortSignal.timeout(maxMs * elapsedTimeFactor)]);
  try {
    return (await pool.run(text, { signal })) as SchemaReply; // what answerQuestion returns
  } catch (error) {
    const isOutOfMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (!signal.aborted && !isOutOfMemory) throw error;
    // The pool terminates the thread without waiting for it; the next question must not run beside it.
    await worker.terminate();
    return 'endless';
  } finally {
    answered.abort();
    await watching;
  }
}

/** Piscina bounds elapsed time only, so processor time and heap of the thread are read here and abort the question. */
async function abortAboveBounds(
  worker: Worker,
  maxMs: number,
  { overBounds, answered }: { overBounds: AbortController; answered: AbortSignal },
): Promise<void> {
  try {
    const cpuBefore = await worker.cpuUsage();
    const heapBefore = await worker.getHeapStatistics();
    for (;;) {
      await delay(lookEveryMs, undefined, { signal: answered });
      const { user, system } = await worker.cpuUsage(cpuBefore);
      const { used_heap_size: heapBytes } = await worker.getHeapStatistics();
      if ((user + system) / 1_000 > maxMs || heapBytes - heapBefore.used_heap_size > heapMaxBytes) break;
    }
    overBounds.abort();
  } catch {
    // The question was answered, or the thread has ended; the pool reports the latter.
  }
}
