import DataLoader from 'dataloader';
import { isLockTimeout, isOfStatement } from './errors.ts';

export interface BatchOptions<Item = never, Result = never> {
  /** The maximum number of items of a batch. The others wait for the next one. */
  most: number;
  /** Shared by batchers of which only one batch may be in flight. Default: a separate queue. */
  queue?: BatchQueue;
  /** Runs one item individually, outside of the queue, after its batch has failed. Default: as a batch of one. */
  alone?(item: Item): Promise<Result>;
}

/** Batches that run one at a time, in the order in which they began to collect. */
export interface BatchQueue {
  /** Starts a batch at the end of this tick of the event loop if none is in flight, otherwise after those before it. */
  enqueue(start: () => void): void;
  /** Ends the batch in flight. */
  next(): void;
}

export function newBatchQueue(): BatchQueue {
  const waiting: (() => void)[] = [];
  let isInFlight = false;

  function next(): void {
    const start = waiting.shift();
    isInFlight = start !== undefined;
    if (start) setImmediate(start);
  }

  return {
    enqueue(start) {
      waiting.push(start);
      if (!isInFlight) next();
    },
    next,
  };
}

/**
 * Batches items. One batch is in flight at a time, and later items form the next. If none is in flight, a batch starts
 * at the end of this tick of the event loop. It does not run in the asynchronous context of its items, so an item
 * contains everything that it needs.
 */
export function batched<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
  { most, queue = newBatchQueue(), alone }: BatchOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const runAlone = alone ?? (async (item: Item) => orThrow((await run([item]))[0] as Result | Error));
  const runOrEach = async (items: readonly Item[]): Promise<readonly (Result | Promise<Result> | Error)[]> => {
    try {
      return await run(items);
    } catch (error) {
      const isOver = items.length === 1 && !(alone && isLockTimeout(error));
      if (isOver || !isOfStatement(error)) throw error;
      // Not awaited, so that the next batch can start: each item has its promise as its value.
      return items.map(runAlone);
    }
  };
  const loader = new DataLoader<Item, Result>(
    (items) => runOrEach(items).finally(queue.next) as Promise<readonly (Result | Error)[]>,
    { cache: false, maxBatchSize: most, batchScheduleFn: queue.enqueue },
  );
  return (item) => loader.load(item);
}

function orThrow<Result>(result: Result | Error): Result {
  if (result instanceof Error) throw result;
  return result;
}
