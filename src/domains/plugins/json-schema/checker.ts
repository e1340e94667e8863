import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { TenantContext } from '../../../call/context.ts';
import type { JsonObject } from '../../../graph/builder.ts';
import { isJsonObject, issuesMax } from '../../../graph/input/check.ts';
import { type InputIssue, RateLimited } from '../../../lib/errors.ts';
import { pathOf } from './issues.ts';

/** A worker thread that answers one question at a time. */
interface SchemaThread {
  /**
   * Returns the answer, or `endless` if the question used more than `maxMs` of processor time or filled the heap. The
   * thread is then terminated and the next question starts a new one.
   */
  ask(question: SchemaQuestion, maxMs: number): Promise<SchemaReply>;
}

/** How much a question may add to the heap, including garbage; what earlier questions left does not count. */
const heapMaxBytes = 256 * 1024 * 1024;
/**
 * The limit of V8 for the whole heap. At this limit V8 may end the process instead of the thread, so a question is
 * aborted at `heapMaxBytes`, and this limit is higher than the heap can grow between two checks.
 */
const heapLimitMib = 1_024;
/** Half a second is usual. The limit is long so that a start on an overloaded machine does not fail. */
const startMaxMs = 120_000;
/** The elapsed time a question may take, as a multiple of its processor time: a busy machine delays the thread. */
const elapsedTimeFactor = 20;
/** How often the use of a thread is read while it works. A question fills about 1 MiB of heap a millisecond. */
const lookEveryMs = 20;

/**
 * A pool of exactly one thread. The caller must know which thread answers its question to read that thread's processor
 * time, and piscina does not report it for a pool with several threads.
 */
function schemaThread(): SchemaThread {
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
  // A thread that fails between two questions is replaced at the next question.
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
    // The pool does not wait for the end of the thread, and the next question must not run concurrently with it.
    await worker.terminate();
    return 'endless';
  } finally {
    answered.abort();
    await watching;
  }
}

/** Piscina limits elapsed time only, so processor time and heap of the thread are read here and abort the question. */
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

const threadsMax = 2;
const idle = Array.from({ length: threadsMax }, () => schemaThread());
/** Owners that use a thread now. */
const served = new Set<string>();
/** Waiting calls by owner, the least recently served owner first. */
const waiting = new Map<string, (() => void)[]>();

/**
 * Runs `work` with a thread. A turn is taken before a database transaction begins, never inside one, since a waiting
 * call must not hold a connection. An owner has one turn at a time, so its slow schemas never occupy both threads. An
 * owner with `waitingMax` waiting calls gets 429; other owners do not.
 */
export async function withSchemaThread<Result>(
  owner: string,
  waitingMax: number,
  work: (thread: SchemaThread) => Promise<Result>,
): Promise<Result> {
  const thread = await nextTurn(owner, waitingMax);
  try {
    return await work(thread);
  } finally {
    idle.push(thread);
    served.delete(owner);
    moveToEnd(owner);
    startNextTurn();
  }
}

function nextTurn(owner: string, waitingMax: number): Promise<SchemaThread> {
  const before = waiting.get(owner) ?? [];
  if (before.length >= waitingMax) throw new RateLimited(1);
  return new Promise((resolve) => {
    const begin = (): void => {
      const thread = idle.pop();
      if (!thread) throw new Error('A turn begins when a thread is idle.');
      resolve(thread);
    };
    waiting.set(owner, [...before, begin]);
    startNextTurn();
  });
}

function startNextTurn(): void {
  if (idle.length === 0) return;
  for (const [owner, turns] of waiting) {
    const [begin, ...rest] = turns;
    if (!begin || served.has(owner)) continue;
    if (rest.length > 0) waiting.set(owner, rest);
    else waiting.delete(owner);
    served.add(owner);
    return begin();
  }
}

function moveToEnd(owner: string): void {
  const turns = waiting.get(owner);
  waiting.delete(owner);
  if (turns) waiting.set(owner, turns);
}

/**
 * Processor time for the validation and compilation of a schema, and for the check of the configurations of a request.
 * Usual ones take a few milliseconds.
 */
const schemaMaxMs = 1_000;
const checkMaxMs = 500;
/**
 * The time limit for all calls of `violatingOf` of one checker, so that the surrounding database transaction ends in
 * time.
 */
const violatingMaxMs = 2_000;
/** Waiting calls of one owner. Writes may have large bodies; a page of instances reads many fields. */
const writesWaitingMax = 32;
const readsWaitingMax = 1_000;

/** Checks schemas, and configurations against them, in a worker thread. */
export interface SchemaChecker {
  /** Returns why a value is not a usable JSON Schema of configurations. */
  schemaIssues(schema: JsonObject, path?: string): Promise<InputIssue[]>;
  /** Returns where configurations violate a schema. Without a schema every configuration is valid. */
  configIssues(
    schema: JsonObject | null,
    configs: readonly { config: JsonObject; path: string }[],
  ): Promise<InputIssue[]>;
  /** Returns the issues of presets by name: each must be an object and satisfy the schema. */
  presetIssues(presets: JsonObject, schema: JsonObject | null): Promise<InputIssue[]>;
  /** Returns which configurations violate a schema. One that could not be checked in time counts as violating. */
  violatingOf(schema: JsonObject | null, configs: readonly JsonObject[]): Promise<boolean[]>;
}

/**
 * Runs a write that checks schemas. `work` begins its database transaction itself, so that a call that waits for its
 * turn holds no connection.
 */
export function checkingSchemas<Result>(
  { tenant }: Pick<TenantContext, 'tenant'>,
  work: (checker: SchemaChecker) => Promise<Result>,
): Promise<Result> {
  const owner = tenant.platformAccountId ?? tenant.partnerId;
  return withSchemaThread(owner, writesWaitingMax, (thread) => work(checkerOn(thread)));
}

/** Runs a read that checks schemas. */
export function readingSchemas<Result>(
  platformAccountId: string,
  work: (checker: SchemaChecker) => Promise<Result>,
): Promise<Result> {
  return withSchemaThread(platformAccountId, readsWaitingMax, (thread) => work(checkerOn(thread)));
}

function checkerOn(thread: SchemaThread): SchemaChecker {
  let violatingLeftMs = violatingMaxMs;
  const configIssues: SchemaChecker['configIssues'] = async (schema, configs) => {
    if (schema === null || configs.length === 0) return [];
    const reply = await thread.ask({ kind: 'configs', schema, configs }, checkMaxMs);
    // A valid schema may still be slow on some configuration. The issue then names the configuration.
    return reply !== 'endless' && 'issues' in reply
      ? reply.issues
      : [{ path: configs[0]?.path ?? '', message: 'takes too long to be checked against the schema: make it smaller' }];
  };
  return {
    configIssues,
    async schemaIssues(schema, path = 'schema') {
      const reply = await thread.ask({ kind: 'schema', schema, path }, schemaMaxMs);
      return reply !== 'endless' && 'issues' in reply
        ? reply.issues
        : [{ path, message: 'takes too long to compile: simplify it' }];
    },
    async presetIssues(presets, schema) {
      const configs: { config: JsonObject; path: string }[] = [];
      const issues: InputIssue[] = [];
      for (const [name, config] of Object.entries(presets)) {
        const path = pathOf('presets', [name]);
        if (isJsonObject(config)) configs.push({ config, path });
        else issues.push({ path, message: 'must be an object of configuration values' });
      }
      return issues.length > 0 ? issues.slice(0, issuesMax) : configIssues(schema, configs);
    },
    async violatingOf(schema, configs) {
      if (schema === null || configs.length === 0) return configs.map(() => false);
      if (violatingLeftMs <= 0) return configs.map(() => true);
      const start = performance.now();
      const reply = await thread.ask({ kind: 'violating', schema, configs }, Math.min(violatingLeftMs, checkMaxMs));
      violatingLeftMs -= performance.now() - start;
      return reply !== 'endless' && 'violating' in reply ? reply.violating : configs.map(() => true);
    },
  };
}

/** A question about a JSON Schema of a client. */
export type SchemaQuestion =
  | { kind: 'schema'; schema: JsonObject; path: string }
  | { kind: 'configs'; schema: JsonObject; configs: readonly { config: JsonObject; path: string }[] }
  | { kind: 'violating'; schema: JsonObject; configs: readonly JsonObject[] };

/** The answer, or `endless` if the check was stopped because it took too much time or memory. */
export type SchemaReply = { issues: InputIssue[] } | { violating: boolean[] } | 'endless';
