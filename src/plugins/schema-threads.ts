import { Worker } from 'node:worker_threads';
import type { JsonObject } from '../graph/builder.ts';
import { type InputIssue, RateLimited } from '../kit/errors.ts';

/** What is asked about a stranger's schema. */
export type SchemaQuestion =
  | { kind: 'schema'; schema: JsonObject; path: string }
  | { kind: 'configs'; schema: JsonObject; configs: readonly { config: JsonObject; path: string }[] }
  | { kind: 'violating'; schema: JsonObject; configs: readonly JsonObject[] };

/** What came of it; `endless` where it broke off. */
export type SchemaReply = { issues: InputIssue[] } | { violating: boolean[] } | 'endless';

/** A thread for as long as one call has its turn. */
export interface SchemaThread {
  /** The answer, or `endless` when so much of a processor's time brought none: then the thread is ended, and the next question has a new one. */
  ask(question: SchemaQuestion, maxMs: number): Promise<SchemaReply>;
}

const threadsMax = 2;
/** Threads may hold this much, in MiB: what a schema of 64 KiB can honestly want is far less. */
const memoryMaxMib = 128;
/** Half a second is usual; a machine with far too much to do must not make a failure of it. */
const startMaxMs = 120_000;
/** How much longer than its time a question may take by the clock: a thread that is not let run is no slower for it. */
const patience = 20;

const idle = Array.from({ length: threadsMax }, () => thread());
/** Who is served now, and who waits: whoever was served the longest ago comes first, and each one at a time. */
const served = new Set<string>();
const waiting = new Map<string, (() => void)[]>();

/**
 * Gives a call its turn with a thread. A turn is taken before a transaction begins and never within one: who waits for a thread
 * must hold no connection. However slow one owner's schemas are, the others have the second thread, and 429 is for those alone
 * of whom `waitingMax` calls wait already.
 */
export async function withSchemaThread<Result>(
  owner: string,
  waitingMax: number,
  work: (thread: SchemaThread) => Promise<Result>,
): Promise<Result> {
  const own = await turnOf(owner, waitingMax);
  try {
    return await work(own);
  } finally {
    idle.push(own);
    served.delete(owner);
    // To the end of the row, behind everybody who waits.
    const more = waiting.get(owner);
    waiting.delete(owner);
    if (more) waiting.set(owner, more);
    callNext();
  }
}

function turnOf(owner: string, waitingMax: number): Promise<SchemaThread> {
  const before = waiting.get(owner) ?? [];
  if (before.length >= waitingMax) throw new RateLimited(1);
  return new Promise((resolve) => {
    const begin = (): void => {
      const next = idle.pop();
      if (!next) throw new Error('A turn begins when a thread is idle.');
      resolve(next);
    };
    waiting.set(owner, [...before, begin]);
    callNext();
  });
}

function callNext(): void {
  if (idle.length === 0) return;
  for (const [owner, turns] of waiting) {
    const [next, ...rest] = turns;
    if (!next || served.has(owner)) continue;
    if (rest.length > 0) waiting.set(owner, rest);
    else waiting.delete(owner);
    served.add(owner);
    return next();
  }
}

function thread(): SchemaThread {
  let worker: Promise<Worker> | null = null;
  let asked = 0;
  const end = async (): Promise<void> => {
    const ended = worker;
    worker = null;
    await (await ended)?.terminate();
  };
  return {
    async ask(question, maxMs) {
      const id = (asked += 1);
      const text = JSON.stringify(question);
      worker ??= started().catch((error: unknown) => {
        worker = null;
        throw error;
      });
      const running = await worker;
      const reply = await replyOf(running, { id, text }, maxMs);
      if (reply === 'ended') {
        await end();
        return 'endless';
      }
      return reply;
    },
  };
}

/** A thread that has loaded what it needs: a question's time is its own. */
async function started(): Promise<Worker> {
  const worker = new Worker(new URL('./schema-worker.ts', import.meta.url), {
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: memoryMaxMib },
  });
  // It serves requests, which keep the process alive; by itself it does not.
  worker.unref();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const gone = (code: number): void => reject(new Error(`The thread for schemas ended with ${code} before it was up.`));
  const late = setTimeout(
    () => reject(new Error(`The thread for schemas was not up within ${startMaxMs} ms.`)),
    startMaxMs,
  );
  worker
    .once('message', () => resolve())
    .once('error', reject)
    .once('exit', gone);
  try {
    await promise;
    return worker;
  } catch (error) {
    await worker.terminate();
    throw error;
  } finally {
    clearTimeout(late);
    worker.off('error', reject).off('exit', gone);
    // Whoever asks listens for itself; what happens between two questions ends the thread and nothing else.
    worker.on('error', () => undefined);
  }
}

function replyOf(
  worker: Worker,
  question: { id: number; text: string },
  maxMs: number,
): Promise<SchemaReply | 'ended'> {
  return new Promise((resolve, reject) => {
    const answer = ({ id, reply }: { id: number; reply: SchemaReply }): void => {
      if (id === question.id) settle(() => resolve(reply));
    };
    // Out of memory is out of bounds as much as out of time; anything else is our mistake.
    const fail = (error: Error & { code?: string }): void =>
      settle(() => (error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve('ended') : reject(error)));
    const gone = (): void => settle(() => resolve('ended'));
    const begun = performance.now();
    const before = worker.cpuUsage();
    // Of a thread that is gone there is nothing to be told; who looks hears it again.
    before.catch(() => undefined);
    let isSettled = false;
    const look = async (): Promise<void> => {
      const { user, system } = await worker.cpuUsage(await before);
      const leftMs = Math.min(maxMs - (user + system) / 1_000, maxMs * patience - (performance.now() - begun));
      if (isSettled) return;
      if (leftMs > 0) late = setTimeout(() => void look().catch(gone), Math.max(leftMs, 10));
      else gone();
    };
    let late = setTimeout(() => void look().catch(gone), maxMs);
    const settle = (then: () => void): void => {
      isSettled = true;
      clearTimeout(late);
      worker.off('message', answer).off('error', fail).off('exit', gone);
      then();
    };
    worker.on('message', answer).on('error', fail).on('exit', gone);
    worker.postMessage(question);
  });
}
