import type pg from 'pg';
import { type BatchQueue, batched } from '../database/batched.ts';
import { isConflictOfTransactions, isOfStatement } from '../database/errors.ts';
import { tenantQueue } from '../database/tenant-queue.ts';

/** What is committed by one statement for all items of a batch. */
export interface SharedCommit<Item, Result> {
  /** The tenant whose rows the item changes, such as the account. Others do not wait for its locks. */
  tenantOf(item: Item): string;
  /** What only one item of a batch may be about, such as a key that it claims. */
  claims(item: Item): string[];
  /**
   * Writes all items that can be written and returns what each has become, by a statement that waits for a lock no
   * longer than `lockWaitMs`. An item of a batch (`isShared`) is not written if it is about a row that is locked.
   */
  write(items: readonly Item[], isShared: boolean): Promise<ReadonlyMap<Item, Result>>;
  /**
   * Whether an item that was not written with others could be written alone: it was in their statement, or it was left
   * out of the batch, since another item claims the same.
   */
  mayBeWrittenAlone(item: Item, wasInBatch: boolean): boolean;
}

const itemsMax = 32;
const attemptsMax = 3;

/**
 * Commits the items of a batch with one statement. Returns what an item has become, or undefined if it was not written.
 * An item that cannot be written is left out and does not affect the others. After an error, all items of the batch are
 * written one by one, each with its own answer. The commits that share `queue` run one at a time, so that their batches
 * are larger.
 *
 * The rows of a batch belong to many tenants, and a locked one would block all of them, so the statement has a short lock
 * timeout. The items that refer to a locked row are retried individually, outside of the queue, as are the next ones of
 * their tenant until the row is free.
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
      (item) => written.get(item) ?? (commit.mayBeWrittenAlone(item, batch.has(item)) ? 'alone' : undefined),
    );
  } catch (error) {
    // Of a batch whose end is not known, each item has the error that it would have had alone.
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
