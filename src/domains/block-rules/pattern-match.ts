import { setImmediate as nextTurn } from 'node:timers/promises';
import { patternSize, patternSizeMax } from '../../kit/pattern-size.ts';
import type { Log } from '../../runtime/log.ts';
import { linearMatch } from './linear-pattern.ts';
import { matchInThread, startPatternThread } from './pattern-thread.ts';
import type { PatternMatch } from './rule-match.ts';

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
