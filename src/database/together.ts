import DataLoader from 'dataloader';

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

  const loader = new DataLoader<Item, Result>((items) => run(items).finally(startNext), {
    cache: false,
    maxBatchSize: most,
    batchScheduleFn(dispatch) {
      waiting.push(dispatch);
      if (!isUnderWay) startNext();
    },
  });
  return (item) => loader.load(item);
}
