import { setImmediate as nextTick } from 'node:timers/promises';
import { RE2JS } from 're2js';
import { Recent } from '../../lib/recent.ts';
import type { PatternMatch } from './rule-match.ts';

const compiled = new Recent<RE2JS>(1_000);

/** Searches for the pattern, case-insensitively. RE2 takes time linear in the length of the text. */
export function linearMatch(pattern: string, text: string): boolean {
  let expression = compiled.get(pattern);
  if (!expression) {
    expression = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
    compiled.set(pattern, expression);
  }
  return expression.matcher(text).find();
}

/** The maximum size of the patterns of an account together, in compiled instructions. */
export const accountPatternSizeMax = 2_000;

/** How long the patterns of a charge may hold the event loop before other requests have a turn. */
const tickMs = 1;

/**
 * Matches the patterns of one charge. Creation bounds them, so that they take microseconds, a few milliseconds at worst;
 * between them the event loop serves others.
 */
export function patternMatch(): PatternMatch {
  let began = performance.now();
  return async (pattern, text) => {
    if (performance.now() - began > tickMs) {
      await nextTick();
      began = performance.now();
    }
    return linearMatch(pattern, text);
  };
}
