import DataLoader from 'dataloader';
import { isOfStatement } from './statement-errors.ts';

export interface TogetherOptions {
  /** The most items of a batch. More of them wait for the next one. */
  most: number;
  /** Shared by collectors of which only one batch may be under way. Default: turns of its own. */
  turns?: Turns;
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
  { most, turns = newTurns() }: TogetherOptions,
): (item: Item) => Promise<Result> {
  const loader = new DataLoader<Item, Result>((items) => runOrEach(run, items).finally(turns.pass), {
    cache: false,
    maxBatchSize: most,
    batchScheduleFn: turns.take,
  });
  return (item) => loader.load(item);
}

/** After an error of the statement each item runs alone, so that it fails only the item that it is about. */
async function runOrEach<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
  items: readonly Item[],
): Promise<readonly (Result | Error)[]> {
  try {
    return await run(items);
  } catch (error) {
    if (items.length === 1 || !isOfStatement(error)) throw error;
    const alone = await Promise.allSettled(items.map((item) => run([item])));
    return alone.map((end) => (end.status === 'rejected' ? (end.reason as Error) : (end.value[0] as Result | Error)));
  }
}
