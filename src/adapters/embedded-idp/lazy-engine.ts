import { type ClockCheck, clockFault } from '../../kit/compared-clock.ts';
import { IdpError } from '../../ports/identity-provider.ts';
import type { Engine, EngineOptions } from './engine.ts';

export type LazyEngine = () => Promise<Engine>;

/**
 * Loads the engine (about 700 files) with the first call that needs it, which makes the start faster. The engine knows
 * the clock of its process only, and removes what has expired by it: while that is off the engine is not used.
 */
export function engineWhenAsked(options: EngineOptions, machine: Pick<ClockCheck, 'aheadMs'>): LazyEngine {
  let loading: Promise<Engine> | undefined;
  return async () => {
    const fault = clockFault(machine.aheadMs());
    if (fault !== null) throw new IdpError('UNAVAILABLE', fault);
    return (loading ??= import('./engine.ts').then(({ createEngine }) => createEngine(options)));
  };
}
