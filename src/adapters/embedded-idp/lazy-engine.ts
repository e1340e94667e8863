import type { Engine, EngineOptions } from './engine.ts';

export type LazyEngine = () => Promise<Engine>;

/** Loads the engine (about 700 files) with the first call that needs it, which makes the start faster. */
export function engineWhenAsked(options: EngineOptions): LazyEngine {
  let loading: Promise<Engine> | undefined;
  return () => (loading ??= import('./engine.ts').then(({ createEngine }) => createEngine(options)));
}
