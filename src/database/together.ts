import DataLoader from 'dataloader';
import { isLockTimeout, isOfStatement } from './errors.ts';

export interface TogetherOptions<Item = never, Result = never> {
  /** The most items of a batch. More of them wait for the next one. */
  most: number;
  /** Shared by collectors of which only one batch may be under way. Default: turns of its own. */
  turns?: Turns;
  /** Runs an item alone, outside of the turns, after its batch has failed. Default: as a batch of one. */
  alone?(item: Item): Promise<Result>;
}

/** Batches that are under way one at a time, in the order in which they began to collect. */
export interface Turns {
  /** Starts a batch at the end of this turn of the event loop if none is under way, otherwise after those before it. */
  take(start: () => void): void;
  /** Ends the batch under way. */
  pass(): void;
}

export function newTurns(): Turns {
  const waiting: (() => void)[] = [];
  let isTaken = false;

  function pass(): void {
    const next = waiting.shift();
    isTaken = next !== undefined;
    if (next) setImmediate(next);
  }

  return {
    take(start) {
      waiting.push(start);
      if (!isTaken) pass();
    },
    pass,
  };
}

/**
 * Collects items into batches. One batch is under way at a time: an item that arrives meanwhile is part of the next. An
 * item that arrives while none is under way waits for nobody: it starts at the end of this turn of the event loop. The
 * batch does not run in the asynchronous context of its items, so an item contains all that is needed.
 */
export function together<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
  { most, turns = newTurns(), alone }: TogetherOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const runAlone = alone ?? (async (item: Item) => orThrow((await run([item]))[0] as Result | Error));
  const runOrEach = async (items: readonly Item[]): Promise<readonly (Result | Promise<Result> | Error)[]> => {
    try {
      return await run(items);
    } catch (error) {
      const isOver = items.length === 1 && !(alone && isLockTimeout(error));
      if (isOver || !isOfStatement(error)) throw error;
      // Not awaited, so that the next batch can begin: each item has its promise as its value.
      return items.map(runAlone);
    }
  };
  const loader = new DataLoader<Item, Result>(
    (items) => runOrEach(items).finally(turns.pass) as Promise<readonly (Result | Error)[]>,
    { cache: false, maxBatchSize: most, batchScheduleFn: turns.take },
  );
  return (item) => loader.load(item);
}

function orThrow<Result>(result: Result | Error): Result {
  if (result instanceof Error) throw result;
  return result;
}
