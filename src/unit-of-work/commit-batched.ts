import type pg from 'pg';
import { type BatchQueue, batched } from '../database/batched.ts';
import { isConflictOfTransactions, isOfStatement } from '../database/errors.ts';
import { tenantQueue } from '../database/tenant-queue.ts';

/** A statement that commits all items of a batch. */
export interface SharedCommit<Item, Result> {
  /** The tenant whose rows the item changes, such as the account. Other tenants do not wait for its locks. */
  tenantOf(item: Item): string;
  /** Keys that only one item of a batch may have, such as an idempotency key that it claims. */
  claims(item: Item): string[];
  /**
   * Writes all items that can be written and returns their results, by a statement that waits for a lock no longer than
   * `lockWaitMs`. An item of a batch (`isShared`) is not written if it refers to a locked row.
   */
  write(items: readonly Item[], isShared: boolean): Promise<ReadonlyMap<Item, Result>>;
  /**
   * Whether an item that was not written in its batch could be written individually. `wasInBatch` is false if it was
   * left out because another item has the same claim.
   */
  mayRetryAlone(item: Item, wasInBatch: boolean): boolean;
}

const itemsMax = 32;
const attemptsMax = 3;

/**
 * Commits the items of a batch with one statement. Returns the result of an item, or undefined if it was not written.
 * An item that cannot be written is left out and does not affect the others. After an error of the statement, all items
 * of the batch are written individually, each with its own answer. The commits that share `queue` run one at a time, so
 * that their batches are larger.
 * The rows of a batch belong to many tenants, and a locked one would block all of them, so the statement has a short
 * lock timeout. The items that refer to a locked row are retried individually, outside of the queue, as are the next
 * ones of their tenant until the row is free.
 */
export function commitBatched<Item, Result extends object>(
  pool: pg.Pool,
  queue: BatchQueue,
  commit: SharedCommit<Item, Result>,
): (item: Item) => Promise<Result | undefined> {
  const load = batched<Item, Result | 'alone' | undefined>((items) => writeBatch(commit, items), {
    most: itemsMax,
    queue,
  });
  const tenants = tenantQueue(pool);
  return async (item) => {
    const tenant = commit.tenantOf(item);
    const written = tenants.hasWaiting(tenant) ? 'alone' : await load(item);
    return written === 'alone' ? tenants.runWaiting(tenant, () => writeAlone(commit, item)) : written;
  };
}

async function writeBatch<Item, Result extends object>(
  commit: SharedCommit<Item, Result>,
  items: readonly Item[],
): Promise<(Result | 'alone' | undefined)[]> {
  const claimed = new Set<string>();
  const batch = new Set<Item>();
  for (const item of items) {
    const claims = commit.claims(item);
    if (claims.some((claim) => claimed.has(claim))) continue;
    for (const claim of claims) claimed.add(claim);
    batch.add(item);
  }
  try {
    const written = await commit.write([...batch], true);
    return items.map(
      (item) => written.get(item) ?? (commit.mayRetryAlone(item, batch.has(item)) ? 'alone' : undefined),
    );
  } catch (error) {
    // If the outcome of a batch is unknown, each item gets the error that it would have got individually.
    if (!isOfStatement(error)) throw error;
    return items.map(() => 'alone');
  }
}

async function writeAlone<Item, Result extends object>(
  commit: SharedCommit<Item, Result>,
  item: Item,
): Promise<Result | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await commit.write([item], false)).get(item);
    } catch (error) {
      if (attempt === attemptsMax || !isConflictOfTransactions(error)) throw error;
    }
  }
}
