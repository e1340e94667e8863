import { setImmediate as nextTurn } from 'node:timers/promises';
import { Piscina } from 'piscina';
import { RE2JS } from 're2js';
import { patternSize, patternSizeMax } from '../../graph/scalars/pattern-size.ts';
import type { Log } from '../../observability/log.ts';
import type { PatternMatch } from './rule-match.ts';

const compiled = new Map<string, RE2JS>();
const compiledMax = 1_000;

/** Searches for the pattern, case-insensitively. RE2 takes time linear in the length of the text. */
export function linearMatch(pattern: string, text: string): boolean {
  let expression = compiled.get(pattern);
  if (!expression) {
    expression = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
    if (compiled.size >= compiledMax) compiled.clear();
    compiled.set(pattern, expression);
  }
  return expression.matcher(text).find();
}

let pool: Piscina | undefined;

/** Starts the thread, so that loading it does not count as time of a pattern. It ends when it is idle for a minute. */
async function startPatternThread(): Promise<void> {
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
async function matchInThread(pattern: string, text: string, maxMs: number): Promise<boolean> {
  const signal = AbortSignal.timeout(Math.max(0, Math.ceil(maxMs)));
  return (await pool?.run({ pattern, text }, { signal })) === true;
}

/** The size that the patterns of an account may have together. */
export const accountPatternSizeMax = 2_000;

/** How long the patterns of a charge may hold the event loop before other requests have a turn. */
const turnMs = 1;
/**
 * What the patterns of a charge may take in the worker thread: long, because a busy machine must not decline a charge.
 */
const threadMsMax = 10_000;

/**
 * Matches the patterns of one charge. Those within the bounds of creation take microseconds, a few milliseconds at
 * worst; between them the event loop serves others. Rules from before the bounds may be larger: their patterns are
 * matched in a worker thread. One that does not end there counts as found, so that the rule goes on protecting its
 * account.
 */
export function patternMatch(log: Log, platformAccountId: string, threadMs = threadMsMax): PatternMatch {
  let sizeLeft = accountPatternSizeMax;
  let turnBegan = performance.now();
  let threadLeftMs = threadMs;
  const matchBeside: PatternMatch = async (pattern, text) => {
    try {
      await startPatternThread();
      const asked = performance.now();
      const found = await matchInThread(pattern, text, threadLeftMs);
      threadLeftMs -= performance.now() - asked;
      return found;
    } catch (error) {
      threadLeftMs = 0;
      log.error({ err: error, platformAccountId }, 'A pattern of a block rule did not end, and counts as found.');
      return true;
    }
  };
  return async (pattern, text) => {
    const size = patternSize(pattern);
    if (size > patternSizeMax || size > sizeLeft) return matchBeside(pattern, text);
    sizeLeft -= size;
    if (performance.now() - turnBegan > turnMs) {
      await nextTurn();
      turnBegan = performance.now();
    }
    return linearMatch(pattern, text);
  };
}
