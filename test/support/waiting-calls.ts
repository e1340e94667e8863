import { createHook } from 'node:async_hooks';
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import zlib from 'node:zlib';

type AnyFunction = (this: unknown, ...given: unknown[]) => unknown;

/** What runs a test, and what loads the modules of the platform for it. */
const ofTests = /node_modules\/(vitest|vite|@vitest|vite-node)\/|node:internal\/modules\//;

/**
 * Notes every call of a function of Node that stops the process until a file is read or data is compressed, with its
 * place, until it is stopped.
 */
export function watchWaitingCalls(): { calls: string[]; stop(): void } {
  const calls: string[] = [];
  const restore: (() => void)[] = [];
  for (const module of [fs, zlib, childProcess] as object[]) {
    const functions = module as Record<string, AnyFunction>;
    for (const [name, own] of Object.entries(functions).filter(([each]) => each.endsWith('Sync'))) {
      functions[name] = function watched(...given) {
        const stack = new Error('at').stack ?? '';
        if (!ofTests.test(stack)) calls.push(`${name} ${stack.split('\n').slice(2, 7).join('\n')}`);
        return own.apply(this, given);
      };
      restore.push(() => (functions[name] = own));
    }
  }
  syncBuiltinESMExports();
  return {
    calls,
    stop() {
      for (const each of restore) each();
      syncBuiltinESMExports();
    },
  };
}

/** Counts how often the process compresses or unpacks something, until it is stopped. */
export function countWork(): { compressed(): number; stop(): void } {
  let compressed = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (/ZLIB|BROTLI|ZSTD/.test(type)) compressed += 1;
    },
  }).enable();
  return { compressed: () => compressed, stop: () => hook.disable() };
}
