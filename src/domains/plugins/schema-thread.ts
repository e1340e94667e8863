import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { SchemaQuestion, SchemaReply } from './schema-questions.ts';

/** A worker thread that answers one question at a time. */
export interface SchemaThread {
  /**
   * Returns the answer, or `endless` if the question used more than `maxMs` of processor time. The thread is then
   * terminated and the next question starts a new one.
   */
  ask(question: SchemaQuestion, maxMs: number): Promise<SchemaReply>;
}

/**
 * Heap of a thread in MiB, more than a question can fill in its processor time. V8 may end the whole process instead of
 * the thread when the heap is full, so the time is the bound that holds, and this one only backs it.
 */
const memoryMaxMib = 2_048;
/** Half a second is usual. The bound is long because a start on an overloaded machine must not fail. */
const startMaxMs = 120_000;
/** The elapsed time a question may take, as a multiple of its processor time: a busy machine delays the thread. */
const elapsedTimeFactor = 20;
const cpuCheckMinMs = 10;

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
    resourceLimits: { maxOldGenerationSizeMb: memoryMaxMib },
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
  const overTime = new AbortController();
  const answered = new AbortController();
  const watching = abortAfterCpuTime(worker, maxMs, { overTime, answered: answered.signal });
  const signal = AbortSignal.any([overTime.signal, AbortSignal.timeout(maxMs * elapsedTimeFactor)]);
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

/** Piscina bounds elapsed time only, so the processor time of the thread is read here and aborts the question. */
async function abortAfterCpuTime(
  worker: Worker,
  maxMs: number,
  { overTime, answered }: { overTime: AbortController; answered: AbortSignal },
): Promise<void> {
  try {
    const before = await worker.cpuUsage();
    for (let leftMs = maxMs; leftMs > 0; ) {
      await delay(Math.max(leftMs, cpuCheckMinMs), undefined, { signal: answered });
      const { user, system } = await worker.cpuUsage(before);
      leftMs = maxMs - (user + system) / 1_000;
    }
    overTime.abort();
  } catch {
    // The question was answered, or the thread has ended; the pool reports the latter.
  }
}
