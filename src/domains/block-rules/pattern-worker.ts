import { RE2JS } from 're2js';

// Runs in a worker thread (pattern-thread.ts), which has no database connection, no secret and no environment.

/** Resolves once the module is loaded. */
export function warmUp(): void {}

/** Compiles the pattern each time: a cache of large ones would fill the memory. */
export function matchPattern({ pattern, text }: { pattern: string; text: string }): boolean {
  return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE).matcher(text).find();
}
