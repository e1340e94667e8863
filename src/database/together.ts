import DataLoader from 'dataloader';
import { isOfStatement } from './statement-errors.ts';

export interface TogetherOptions {
  /** The most items of a batch. More of them wait for the next one. */
  most: number;
}

/**
 * Collects items into batches. One batch is under way at a time: an item that arrives meanwhile is part of the next. An
 * item that arrives while none is under way waits for nobody: it starts at the end of this turn of the event loop. The
 * batch does not run in the asynchronous context of its items, so an item contains all that is needed.
 */
export function together<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
  { most }: TogetherOptions,
): (item: Item) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let isUnderWay = false;

  function startNext(): void {
    const next = waiting.shift();
    isUnderWay = next !== undefined;
    if (next) setImmediate(next);
  }

  const loader = new DataLoader<Item, Result>((items) => runOrEach(run, items).finally(startNext), {
    cache: false,
    maxBatchSize: most,
    batchScheduleFn(dispatch) {
      waiting.push(dispatch);
      if (!isUnderWay) startNext();
    },
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
