import { isConflictOfTransactions, isOfStatement } from '../database/statement-errors.ts';
import { type Turns, together } from '../database/together.ts';

/** What is committed by one statement for all items that arrive together. */
export interface SharedCommit<Item, Result> {
  /** What only one item of a batch may be about, such as a key that it claims. */
  claims(item: Item): string[];
  /**
   * Writes all items that can be written and returns what each has become. An item of a batch (`isShared`) is not
   * written if it would have to wait for a row that is locked.
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
 * Commits items that arrive together with one statement. Returns what an item has become, or undefined if it was not
 * written. No item touches its neighbors: one that cannot be written is left out, and after an error, all items of the
 * batch are written one by one, each with the answer that it alone has. Commits that share `turns`
 * are under way one at a time, so that their batches are larger than beside each other.
 */
export function commitTogether<Item, Result extends object>(
  turns: Turns,
  commit: SharedCommit<Item, Result>,
): (item: Item) => Promise<Result | undefined> {
  const load = together<Item, Result | 'alone' | undefined>((items) => writeBatch(commit, items), {
    most: itemsMax,
    turns,
  });
  return async (item) => {
    const written = await load(item);
    return written === 'alone' ? writeAlone(commit, item) : written;
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
